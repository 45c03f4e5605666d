internal import CSystem
internal import Foundation

/// A lock on one byte in the file beside a store. Bytes represent programs that run at most once at a time,
/// and life signs that last as long as their lock.
///
/// The system releases a lock when its process ends, even in a container with other process IDs. A process
/// that inherited the descriptor keeps the lock if its first owner is killed. The file has no content.
/// SQLite's own file must not be opened (sqlite.org/howtocorrupt.html).
public final class ByteLock: Sendable {
  /// The reason why a file cannot be locked, as `errno`.
  public enum Failure: Error {
    /// The file beside the store cannot be opened or created.
    case cannotOpen(Int32)
    /// The file system has no locks.
    case cannotLock(Int32)
  }

  /// The file descriptor, which other processes may inherit.
  public let descriptor: Int32
  private let place: Int64

  /// Locks a byte without waiting.
  ///
  /// - Returns: Nil if it is already locked, even by this process.
  public init?(_ place: Int64, ofStore path: String) throws(Failure) {
    let descriptor = try Self.descriptor(path, O_RDWR | O_CREAT)
    var byte = Self.byte(place)
    guard unsafe fcntl(descriptor, descriptor_lock, &byte) == 0 else {
      let code = errno
      close(descriptor)
      if code == EAGAIN || code == EACCES { return nil }
      throw .cannotLock(code)
    }
    self.descriptor = descriptor
    self.place = place
  }

  deinit {
    // Processes that have inherited the descriptor must not keep the lock now.
    var byte = Self.byte(place)
    byte.l_type = Int16(F_UNLCK)
    _ = unsafe fcntl(descriptor, descriptor_lock, &byte)
    close(descriptor)
  }

  /// Returns whether a byte is locked, even by this process. Nothing is created.
  public static func isHeld(_ place: Int64, ofStore path: String) throws(Failure) -> Bool {
    let descriptor: Int32
    do throws(Failure) {
      descriptor = try Self.descriptor(path, O_RDONLY)
    } catch .cannotOpen(ENOENT) {
      return false
    }
    defer { close(descriptor) }
    var byte = byte(place)
    guard unsafe fcntl(descriptor, descriptor_lock_query, &byte) == 0 else { throw .cannotLock(errno) }
    return byte.l_type != Int16(F_UNLCK)
  }

  /// Returns the lock file's path. Like SQLite's log, it is beside the file itself, not beside a link.
  public static func path(ofStore path: String) -> String { ReadOnlyFile.resolved(path) + "-locks" }

  private static func descriptor(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
    // Every user that may write the store may lock.
    let mode = FileStatus(path: path)?.permissions ?? 0o600
    let descriptor = unsafe open(Self.path(ofStore: path), flags | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    return descriptor
  }

  private static func byte(_ place: Int64) -> flock {
    var byte = flock()
    byte.l_type = Int16(F_WRLCK)
    byte.l_whence = Int16(SEEK_SET)
    byte.l_start = off_t(place)
    byte.l_len = 1
    return byte
  }
}
