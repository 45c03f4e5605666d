internal import CSystem
internal import Foundation

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

  /// The thread's number, which no other running thread has.
  public let number: UInt

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
    var number: UInt = 0
    let code = unsafe system_thread_start(
      &number,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw StartError(code: code)
    }
    self.number = number
  }

  /// Waits until the thread ends. A call on the thread itself detaches the thread instead.
  public func join() {
    if isCurrent { detach() } else { _ = system_thread_join(number) }
  }

  /// Detaches the thread, which can no longer be joined.
  public func detach() {
    _ = system_thread_detach(number)
  }

  /// Returns whether the caller runs on the thread.
  public var isCurrent: Bool { number == Self.currentNumber }

  /// The calling thread's number.
  public static var currentNumber: UInt { system_thread_current() }

  private static func prepare(name: String, niceness: Int32) {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
    Thread.current.name = name
    if niceness >= idle { system_thread_be_idle() } else if niceness > 0 { system_thread_be_nice(niceness) }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
