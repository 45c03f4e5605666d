internal import Foundation

/// A value behind a lock, which must never be held across a call to elsewhere.
///
/// Not the standard library's `Mutex`: the thread sanitizer does not see its slow path, and reports every
/// contended use as a race. `NSLock` is a pthread mutex, which it understands.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  // `value` is touched with `lock` locked only.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) {
    self.value = value
  }

  /// Reads and changes the value while no other thread does.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
