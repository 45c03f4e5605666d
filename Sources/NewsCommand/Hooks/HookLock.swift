import Glibc
import SQLiteStore

/// The claim of a hook: at most one process runs it. The system releases the claim at the end of the process and of its command,
/// which inherits it. So a command outlives a run that is killed, without another one beside it.
///
/// Each hook has a byte in the file of locks beside the store: locks of whole files would let one slow hook stop the others.
final class HookLock {
  private let lock: ByteLock

  /// Claims a hook without waiting.
  ///
  /// - Returns: Nil if another process runs the hook.
  /// - Throws: ``CommandFailure`` if the file cannot be created.
  init?(_ hook: String, ofStore path: String) throws {
    do throws(ByteLock.Failure) {
      guard let lock = try ByteLock(Int64(Self.place(of: hook)), ofStore: path) else { return nil }
      self.lock = lock
    } catch {
      throw CommandFailure(.cannotCreate, error.text(ofStore: path))
    }
  }

  /// The descriptor that a command of the hook inherits.
  var descriptor: Int32 { lock.descriptor }

  /// Returns the process of a command that has outlived its run; nil if the run goes on, or if that cannot be determined.
  static func survivor(of hook: String, ofStore path: String) -> Int32? {
    let holders = ByteLock.holders(of: Int64(place(of: hook)), ofStore: path)
    guard holders.allSatisfy(\.isInherited) else { return nil }
    // The command leads its process group; its own children have the lock, too, and may have smaller numbers.
    return (holders.first { getpgid($0.process) == $0.process } ?? holders.first)?.process
  }

  /// Ends the claim, at the latest now.
  func release() { withExtendedLifetime(self) {} }

  /// Returns the place of a hook in the file: the FNV-1a hash of its name.
  static func place(of hook: String) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in hook.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return hash
  }
}
