import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Starts a thread of our own that runs `body` and ends.
///
/// - Parameters:
///   - name: Shown by debuggers and `ps -L`.
///   - niceness: 0 to 19. Nothing happens where the system refuses it: the priority is a kindness, not a need.
func startThread(name: String, niceness: Int32, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread {
    Thread.current.name = name
    // With process 0 Linux means the calling thread alone (setpriority(2), "C library/kernel differences").
    if niceness > 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
    body()
  }
  thread.start()
}
