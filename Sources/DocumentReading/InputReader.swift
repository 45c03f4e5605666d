/// Reads the documents of files, of folders and of standard input, one after the other.
///
/// One thread at a time uses it.
package final class InputReader {
  /// The next part of the input.
  package enum Part: Sendable {
    case document(InputDocument)
    /// A file that could not be read.
    case failure(name: String, InputFailure)
  }

  private var arguments: ArraySlice<String>
  private var walk: FolderWalk?

  /// - Parameter arguments: Paths of files and folders; `-` is standard input.
  package init(_ arguments: [String]) {
    self.arguments = arguments[...]
  }

  /// Returns the next document or failure; nil at the end.
  package func next() -> Part? {
    while true {
      if let entry = walk?.next() {
        switch entry {
        case .failure(let path, let failure): return .failure(name: path.text, failure)
        case .file(let path): return part(path.text) { () throws(InputFailure) in try document(entry: path) }
        }
      }
      walk = nil
      guard let argument = arguments.popFirst() else { return nil }
      if argument == "-" {
        return part(argument) { () throws(InputFailure) in
          try InputDocument(name: "-", address: "file:-", of: FileBytes.standardInput, isStreamed: true)
        }
      }
      let path = FilePathBytes(argument)
      do throws(InputFailure) {
        guard try FileKind(of: path, follows: true) == .folder else {
          return part(argument) { () throws(InputFailure) in try document(named: path) }
        }
        walk = try FolderWalk(path)
      } catch {
        return .failure(name: argument, error)
      }
    }
  }

  /// Reads ahead, and returns whether there are at least this number of files. Only for a reader of its own.
  package func hasFiles(atLeast count: Int) -> Bool {
    var left = count
    for argument in arguments {
      let path = FilePathBytes(argument)
      guard (try? FileKind(of: path, follows: true)) == .folder else {
        left -= 1
        if left <= 0 { return true }
        continue
      }
      var walk = try? FolderWalk(path)
      while let entry = walk?.next() {
        if case .file = entry { left -= 1 }
        if left <= 0 { return true }
      }
    }
    return left <= 0
  }

  private func part(_ name: String, _ read: () throws(InputFailure) -> InputDocument) -> Part {
    do throws(InputFailure) {
      return .document(try read())
    } catch {
      return .failure(name: name, error)
    }
  }

  private func document(named path: FilePathBytes) throws(InputFailure) -> InputDocument {
    try InputDocument(
      name: path.text, address: path.resolved.address, of: FileBytes(opening: path), isStreamed: false)
  }

  private func document(entry path: FilePathBytes) throws(InputFailure) -> InputDocument {
    try InputDocument(
      name: path.text, address: path.resolved.address, of: FileBytes(openingEntry: path), isStreamed: false)
  }
}
