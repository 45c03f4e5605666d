import ArticleHooks
import CGlibc
import Foundation
import Glibc
import SQLiteStore
import TextOutput

/// A file that replaces its predecessor only when it is complete: readers see the old file or the new one.
///
/// Until then it has no name, so that nothing stays if the process is killed. On a file system without such
/// files it is named `FILE.UUID.part`.
final class WholeFile {
  /// The final path.
  let path: String
  private let part: String
  private let handle: FileHandle
  private var bytes = 0
  /// True while the part has a name in the folder.
  private var isNamed: Bool

  /// - Parameters:
  ///   - path: The final path. If it is a symbolic link, the link's target is replaced.
  ///   - store: The news store, which is not replaced.
  ///   - configuration: The configuration, which is not replaced either.
  ///   - mode: The permissions; nil for the old file's permissions, or for a new file the user's mask.
  /// - Throws: ``CommandFailure`` with status 73 if the file cannot be created, or must not be replaced.
  @MainActor
  init(
    _ path: String, sparing store: StoreLocation, _ configuration: ConfigurationOptions, mode: mode_t? = nil
  ) throws {
    let target = try ReplacedFile(path, sparing: store, configuration)
    self.path = target.path
    part = "\(target.path).\(UUID().uuidString).part"
    let unnamed = open(target.folder, O_WRONLY | O_CLOEXEC | unnamed_file_flag, 0o600)
    isNamed = unnamed < 0
    let descriptor = isNamed ? open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) : unnamed
    let wanted = mode ?? target.mode ?? 0o666 & ~UserMask.value
    guard descriptor >= 0, fchmod(descriptor, wanted) == 0 else {
      throw CommandFailure(.cannotCreate, "\(path): \(systemCause()); name another file")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit {
    if isNamed { unlink(part) }
  }

  /// Adds text.
  ///
  /// - Throws: ``CommandFailure`` with status 74; the new file is then removed.
  func write(_ text: String) throws {
    try write(Array(text.utf8))
  }

  /// Adds bytes; see ``write(_:)-(String)``.
  func write(_ content: [UInt8]) throws {
    do {
      try handle.write(contentsOf: content)
      bytes += content.count
    } catch {
      throw CommandFailure(.inputOutput, "\(path): \(systemCause(of: error)); it was not changed")
    }
  }

  /// Moves the file to its final path, and makes it durable.
  ///
  /// - Returns: Its size in bytes.
  func finish() throws -> Int {
    guard fsync(handle.fileDescriptor) == 0, name(), rename(part, path) == 0 else {
      throw CommandFailure(
        .inputOutput, "\(path): \(systemCause()); it was not changed")
    }
    isNamed = false
    syncFolder(of: path)
    return bytes
  }

  /// Gives the part its name: a file without a name cannot replace another one.
  private func name() -> Bool {
    if isNamed { return true }
    // open(2) describes this way for processes without privileges.
    isNamed =
      linkat(AT_FDCWD, "/proc/self/fd/\(handle.fileDescriptor)", AT_FDCWD, part, Int32(AT_SYMLINK_FOLLOW))
      == 0
    return isNamed
  }
}

/// Makes a file's name durable, if the file system can.
func syncFolder(of path: String) {
  let descriptor = open(FilePath.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}
