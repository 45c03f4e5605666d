internal import Foundation

/// A value protected by a lock, which must never be held across a call to other code.
///
/// It replaces the standard library's `Mutex`, whose slow path the thread sanitizer does not see: it reports
/// every contended use as a race. `NSLock` is a pthread mutex, which the sanitizer understands.
public final class Locked<Value: Sendable>: @unchecked Sendable {
  // `value` is accessed only while `lock` is locked.
  private let lock = NSLock()
  private var value: Value

  public init(_ value: Value) {
    self.value = value
  }

  /// Reads and changes the value with exclusive access.
  public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
