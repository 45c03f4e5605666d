import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Turns the first SIGINT, SIGTERM or SIGHUP into a calm end; a second one ends the process at once.
@MainActor
final class SignalWatch {
  /// The status that the first signal asks for; nil while none came.
  private(set) var status: ExitStatus?
  /// Until the process ends: whoever has finished its work is ended at once.
  private static var sources: [any DispatchSourceRead] = []

  private static let statuses = [
    SIGINT: ExitStatus.interrupted, SIGTERM: .terminated, SIGHUP: .hangup,
  ]

  /// Watches until the process ends; `stop` is called on the main queue.
  ///
  /// A source of signals would begin to look some time after it was made, and miss what comes before: a pipe keeps it.
  init(stop: @escaping @MainActor @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let reading = ends[0]
    caughtSignals = ends[1]
    let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        var number: UInt8 = 0
        while read(reading, &number, 1) == 1 {
          guard let status = Self.statuses[Int32(number)] else { continue }
          guard let self, self.status == nil else { _exit(status.rawValue) }
          self.status = status
          stop()
        }
      }
    }
    source.resume()
    Self.sources.append(source)
    for number in Self.statuses.keys {
      // What was ignored at the start (by nohup, or a shell's background job) stays ignored.
      var before = sigaction()
      sigaction(number, nil, &before)
      if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1 { continue }
      signal(number) { number in
        // Only what signal-safety(7) allows.
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        write(caughtSignals, &byte, 1)
        errno = error
      }
    }
  }
}

/// Where the handler of signals writes their numbers: a global one, since a handler in C has no context, and without a
/// check, since it is set before the handler is.
private nonisolated(unsafe) var caughtSignals: Int32 = -1
