import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A file that replaces its predecessor only when it is complete: readers see the old file or the new one.
final class WholeFile {
  /// The final path.
  let path: String
  private let part: String
  private let handle: FileHandle
  private var bytes = 0
  private var isDone = false

  /// - Parameters:
  ///   - path: The final path. If it is a symbolic link, the link's target is replaced.
  ///   - mode: The permissions; nil for those of the old file, or for a new file those of the user's mask.
  /// - Throws: ``CommandFailure`` with status 73 if the file cannot be created.
  @MainActor
  init(_ path: String, mode: mode_t? = nil) throws {
    // The target of a link is replaced, and not the link.
    let target =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil
      ? path : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var status = stat()
    let isThere = stat(target, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw CommandFailure(.cannotCreate, "\(path): not a file that can be replaced; name another one")
    }
    self.path = target
    part = "\(target).\(UUID().uuidString).part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let wanted = mode ?? (isThere ? status.st_mode & 0o777 : 0o666 & ~ProcessSetup.userMask)
    guard descriptor >= 0, fchmod(descriptor, wanted) == 0 else {
      throw CommandFailure(.cannotCreate, "\(path): \(String(cString: strerror(errno))); name another file")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit {
    if !isDone { unlink(part) }
  }

  /// Adds text.
  ///
  /// - Throws: ``CommandFailure`` with status 74; the new file is then removed.
  func write(_ text: String) throws {
    do {
      try handle.write(contentsOf: Data(text.utf8))
      bytes += text.utf8.count
    } catch {
      throw CommandFailure(.inputOutput, "\(path): cannot be written; is there room?")
    }
  }

  /// Moves the file to its final path.
  ///
  /// - Returns: Its size in bytes.
  func finish() throws -> Int {
    guard fsync(handle.fileDescriptor) == 0, rename(part, path) == 0 else {
      throw CommandFailure(
        .inputOutput, "\(path): \(String(cString: strerror(errno))); it was not changed")
    }
    isDone = true
    return bytes
  }
}
