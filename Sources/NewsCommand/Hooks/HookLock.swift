/// A hook's claim: at most one process runs it. The claim ends with the process and its command, which
/// inherits it. So if a run is killed and its command lives on, no other command runs beside it.
///
/// Each hook has its own lock in the store.
final class HookLock {
  private let lock: any StoreLock

  /// Claims a hook without waiting.
  ///
  /// - Returns: Nil if another process runs the hook.
  /// - Throws: ``CommandFailure`` if the store cannot keep locks.
  init?(_ hook: String, of store: any NewsStore) throws {
    guard let lock = try store.lock(Self.place(of: hook)) else { return nil }
    self.lock = lock
  }

  /// The descriptor that the hook's command inherits.
  var descriptor: Int32 { lock.descriptor }

  /// Returns the process of a command that has outlived its run; nil if the run goes on, or if unknown.
  static func survivor(of hook: String, in store: any NewsStore) -> Int32? {
    store.heir(ofLock: place(of: hook))
  }

  /// Ends the claim, at the latest now.
  func release() { withExtendedLifetime(self) {} }

  /// Returns the number of a hook's lock: the FNV-1a hash of its name.
  static func place(of hook: String) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in hook.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return hash
  }
}
