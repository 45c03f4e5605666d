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
  private var sources: [any DispatchSourceSignal] = []

  /// Watches until it is gone; `stop` is called on the main queue.
  init(stop: @escaping @MainActor @Sendable () -> Void) {
    for (number, status) in [(SIGINT, ExitStatus.interrupted), (SIGTERM, .terminated), (SIGHUP, .hangup)] {
      // What was ignored at the start (by nohup, or a shell's background job) stays ignored.
      var before = sigaction()
      sigaction(number, nil, &before)
      if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1 { continue }
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { [weak self] in
        MainActor.assumeIsolated {
          guard let self, self.status == nil else { _exit(status.rawValue) }
          self.status = status
          stop()
        }
      }
      source.resume()
      sources.append(source)
    }
  }
}
