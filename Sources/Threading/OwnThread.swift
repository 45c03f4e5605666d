internal import Foundation
internal import Glibc

/// A thread that can be joined, unlike Foundation's threads.
///
/// It blocks all signals. The program's other threads receive them, and a write to a closed connection is an
/// error instead of a SIGPIPE.
@safe public final class OwnThread: Sendable {
  /// The system could not create a thread. `code` is the result from pthread_create(3).
  public struct StartError: Error {
    public let code: Int32
  }

  /// The niceness for a thread that runs only when no other thread wants the processor, and yields to others
  /// at once.
  ///
  /// A thread with niceness 19 may still run for a whole slice, 3 to 4 ms, after another thread wakes up
  /// (SCHED_IDLE in sched(7)).
  public static let idle: Int32 = 20
  /// SCHED_IDLE from sched.h, which is not imported into Swift.
  private static let schedIdle: Int32 = 5

  private let thread: pthread_t

  /// Starts `body` on a new thread.
  ///
  /// - Parameters:
  ///   - name: The name shown by debuggers and `ps -L`.
  ///   - niceness: 0 to 19 as in nice(2), or ``idle``. A refusal by the system is ignored, because no program
  ///     depends on the priority.
  public init(
    name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
  ) throws(StartError) {
    let box = unsafe Unmanaged.passRetained(
      Box {
        Self.prepare(name: name, niceness: niceness)
        body()
      })
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw StartError(code: code)
    }
    self.thread = thread
  }

  /// Waits until the thread ends. A call on the thread itself detaches the thread instead.
  public func join() {
    if isCurrent { detach() } else { _ = pthread_join(thread, nil) }
  }

  /// Detaches the thread, which can no longer be joined.
  public func detach() {
    _ = pthread_detach(thread)
  }

  /// Returns whether the caller runs on the thread.
  public var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// The thread's number, which no other running thread has.
  public var number: UInt { UInt(thread) }

  /// The calling thread's number.
  public static var currentNumber: UInt { UInt(pthread_self()) }

  private static func prepare(name: String, niceness: Int32) {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
    Thread.current.name = name
    // For process 0, Linux changes only the calling thread (setpriority(2), "C library/kernel differences").
    guard niceness < idle else {
      var parameters = sched_param()
      unsafe sched_setscheduler(0, schedIdle, &parameters)
      return
    }
    if niceness > 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
