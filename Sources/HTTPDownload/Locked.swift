import Glibc

/// A value behind a lock, which must never be held across a call to elsewhere.
///
/// A pthread mutex because the thread sanitizer understands it: the slow path of the standard library's `Mutex`
/// isn't instrumented, so every contended lock is reported as a race.
///
/// `@unchecked Sendable` because the mutex protects the value, which nothing reaches without it.
@safe final class Locked<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "a mutex needs only memory")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Reads and changes the value while no other thread does.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
