import CGlibc
import Foundation
import Glibc

/// The claim of a hook: at most one process runs it. The system releases the claim at the end of the process.
final class HookLock {
  private let descriptor: Int32

  /// Claims a hook without waiting.
  ///
  /// The file beside the store has no content. Each hook has a byte in it, which is locked: locks of whole files would let one
  /// slow hook stop the others, and SQLite's own file must not be opened (sqlite.org/howtocorrupt.html).
  /// - Returns: Nil if another process runs the hook.
  /// - Throws: ``CommandFailure`` if the file cannot be created.
  init?(_ hook: String, ofStore path: String) throws {
    let file = Self.path(ofStore: path)
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(.cannotCreate, "\(file): cannot be created: \(systemCause())")
    }
    var place = flock()
    place.l_type = Int16(F_WRLCK)
    place.l_whence = Int16(SEEK_SET)
    place.l_start = off_t(Self.place(of: hook))
    place.l_len = 1
    guard fcntl(descriptor, descriptor_lock, &place) == 0 else {
      let code = errno
      close(descriptor)
      if code == EAGAIN || code == EACCES { return nil }
      throw CommandFailure(.cannotCreate, "\(file): cannot be locked: \(systemCause(code))")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Ends the claim, at the latest now.
  func release() { withExtendedLifetime(self) {} }

  /// Returns the path of the file with the locks.
  static func path(ofStore path: String) -> String { path + "-hooks" }

  /// Returns the place of a hook in the file: the FNV-1a hash of its name.
  static func place(of hook: String) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in hook.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return hash
  }
}
