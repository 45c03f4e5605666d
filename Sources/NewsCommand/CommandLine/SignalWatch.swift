import Dispatch
import Foundation
import Glibc
import Threading

/// Ends the run cleanly after the first SIGINT, SIGTERM or SIGHUP. A second signal ends the process at once.
@MainActor
final class SignalWatch {
  /// The exit status for the first signal; nil before it.
  var status: ExitStatus? { first.withLock(\.self) }
  private let first = Locked<ExitStatus?>(nil)
  /// Signals are handled beside the main queue, which may wait for a server.
  private static let queue = DispatchQueue(label: "signals", qos: .userInteractive)
  /// Retained until the process ends. A signal after the end of a watch ends the process at once.
  private static var sources: [any DispatchSourceRead] = []

  private nonisolated static let statuses = [
    SIGINT: ExitStatus.interrupted, SIGTERM: .terminated, SIGHUP: .hangup,
  ]

  /// Watches until the process ends; `stop` is called on its own queue.
  ///
  /// A dispatch source for signals starts after its creation, and would miss earlier signals. A pipe keeps
  /// them.
  init(stop: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let reading = ends[0]
    caughtSignals = ends[1]
    let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: Self.queue)
    // Without @Sendable, the handler would be isolated to the main actor, and trap on this queue.
    source.setEventHandler { @Sendable [weak first] in
      var number: UInt8 = 0
      while read(reading, &number, 1) == 1 {
        guard let status = Self.statuses[Int32(number)] else { continue }
        let isFirst = first?.withLock { first in
          defer { first = status }
          return first == nil
        }
        guard isFirst == true else { _exit(status.rawValue) }
        stop()
      }
    }
    source.resume()
    Self.sources.append(source)
    for number in Self.statuses.keys {
      // Signals that were ignored at the start (by nohup, or a shell's background job) stay ignored.
      var before = sigaction()
      sigaction(number, nil, &before)
      if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1 { continue }
      signal(number) { number in
        // Calls only functions that signal-safety(7) allows.
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        write(caughtSignals, &byte, 1)
        errno = error
      }
    }
  }
}

/// The descriptor to which the signal handler writes signal numbers.
///
/// It is global because a C handler has no context, and unchecked because it is set before the handler is
/// installed.
private nonisolated(unsafe) var caughtSignals: Int32 = -1
