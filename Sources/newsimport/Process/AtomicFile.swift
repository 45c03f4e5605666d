import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Writes a file that others read at any time: they find the old one or the new one, never a part.
enum AtomicFile {
  /// Replaces a file, or makes it; everybody may read it.
  ///
  /// - Throws: ``CommandFailure`` with status 73; the old file is as it was.
  static func write(_ text: String, to path: String) throws {
    // Readers of folders take files by their endings: the part has another one.
    let part = "\(path).\(getpid()).part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // Whatever the umask says: the reader is another user.
    guard fchmod(descriptor, 0o644) == 0, (try? file.write(contentsOf: Data(text.utf8))) != nil,
      rename(part, path) == 0
    else {
      let failure = failure(path)
      unlink(part)
      throw failure
    }
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(
      .cannotCreate,
      "\(path): cannot be written: \(String(cString: strerror(errno))); what was fetched is saved")
  }
}
