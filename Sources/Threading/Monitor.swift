internal import CSystem
public import Foundation

/// State protected by a lock, with changes that threads can wait for.
///
/// For example, a thread sleeps until the state has work for it.
///
/// Waits with a limit follow the monotonic clock. Foundation's `NSCondition` follows the system's clock: if
/// that were set back by an hour, a wait of some milliseconds would take an hour.
@safe public final class Monitor<State: Sendable>: @unchecked Sendable {
  // `state` is accessed only while `mutex` is locked.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  public init(_ state: State) {
    self.state = state
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    // They fail only without memory (pthread_mutex_init(3p), pthread_cond_init(3p)).
    unsafe precondition(pthread_mutex_init(mutex, nil) == 0, "no memory is left for a lock")
    unsafe precondition(system_condition_init(condition) == 0, "no memory is left for a condition")
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` with exclusive access, and wakes the waiting threads.
  public func update<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(condition)
      unsafe pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until `body` returns a result. It runs with exclusive access, once now and again after each
  /// change.
  ///
  /// The call that returns the result may change the state, so the other waiting threads are woken
  /// afterwards.
  ///
  /// - Parameter wakes: Returns whether the new state matters to the waiting threads. Waking a thread in vain
  ///   costs more than this call.
  public func wait<Result>(
    wakes: (State) -> Bool = { _ in true }, until body: (inout State) -> Result?
  ) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) {
        if wakes(state) { unsafe pthread_cond_broadcast(condition) }
        return result
      }
      unsafe pthread_cond_wait(condition, mutex)
    }
  }

  /// Waits like ``wait(wakes:until:)``, and returns nil after a time.
  ///
  /// - Parameter seconds: The longest time to wait, at most a year.
  public func wait<Result>(
    atMost seconds: TimeInterval, until body: (inout State) -> Result?
  ) -> Result? {
    var end = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = end.tv_nsec + Int(max(0, min(seconds, 366 * 86400)) * 1e9)
    end.tv_sec += nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      if unsafe system_condition_wait(condition, mutex, &end) != 0 { return body(&state) }
    }
  }
}
