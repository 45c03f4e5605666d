import Glibc
import Threading

/// The user's own mask for new files (umask(2)).
///
/// This program has a stricter one: its files show private reading habits. Programs that it starts get the
/// user's.
package enum UserMask {
  private static let kept = Locked(mode_t(0o077))

  /// Replaces this process's mask by its own, and keeps the user's. Called once, at the start.
  package static func replace() { kept.withLock { $0 = umask(0o077) } }

  package static var value: UInt32 { kept.withLock(\.self) }

  /// Runs `body`, which starts a program with the user's mask.
  ///
  /// The mask belongs to the whole process: a file that another thread creates at this time needs its own
  /// permissions, as all files from this program have them.
  package static func whileStarting<Value>(_ body: () -> Value) -> Value {
    kept.withLock { mask in
      let own = umask(mask)
      defer { umask(own) }
      return body()
    }
  }
}
