internal import Glibc

/// Visits the files in a folder and its subfolders, in name order.
///
/// Names that begin with a dot are skipped. Symbolic links are not followed: their targets are elsewhere, or
/// are visited anyway. At each depth, one folder's names are in memory.
struct FolderWalk {
  enum Entry {
    case file(FilePathBytes)
    /// An entry that is not read, with the cause.
    case failure(FilePathBytes, InputFailure)
  }

  private struct Level {
    let path: FilePathBytes
    var names: ArraySlice<[UInt8]>
  }

  private var levels: [Level]

  init(_ folder: FilePathBytes) throws(InputFailure) {
    levels = [Level(path: folder, names: try folder.names()[...])]
  }

  /// Returns the next entry; nil at the end.
  mutating func next() -> Entry? {
    while !levels.isEmpty {
      let top = levels.count - 1
      guard let name = levels[top].names.popFirst() else {
        levels.removeLast()
        continue
      }
      let path = levels[top].path.appending(name)
      do throws(InputFailure) {
        switch try FileKind(of: path, follows: false) {
        case .regular: return .file(path)
        case .folder: levels.append(Level(path: path, names: try path.names()[...]))
        case .link: continue
        case let kind: throw InputFailure(.refused, kind.refusal)
        }
      } catch {
        return .failure(path, error)
      }
    }
    return nil
  }
}

extension FilePathBytes {
  /// Returns the names in this folder, sorted by their bytes, without those that begin with a dot.
  package func names() throws(InputFailure) -> [[UInt8]] {
    guard let stream = unsafe withCString({ unsafe opendir($0) }) else {
      throw FileKind.failure(errno)
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name.first != UInt8(ascii: ".") { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw FileKind.failure(errno) }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
