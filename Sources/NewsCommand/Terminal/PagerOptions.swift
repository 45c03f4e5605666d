import ArgumentParser
import Foundation
import NewsConfiguration

/// The options for a command that may print much.
struct PagerOptions: ParsableArguments {
  @Flag(
    help:
      "Do not use a pager. On a terminal, long output is shown with $NEWSIMPORT_PAGER, else pager of the configuration, else $PAGER, else less."
  )
  var noPager = false
}

/// A command that shows its output with a pager on a terminal.
protocol PagedCommand: MainCommand {
  var paging: PagerOptions { get }
  /// The configuration, which may name a pager; nil for the usual file.
  var pagerConfiguration: ConfigurationOptions? { get }
  /// False if the command asks questions or changes something.
  var isPaged: Bool { get }
}

extension PagedCommand {
  var isPaged: Bool { true }

  /// Sends the command's output through a pager, if it goes to a terminal and the user has not declined.
  @MainActor
  func preparePager() {
    guard Output.standard.isTerminal, isPaged, !paging.noPager else { return }
    // An error in the configuration is reported by the commands that need it.
    let loaded = try? (pagerConfiguration ?? (try ConfigurationOptions.parse([]))).load()
    Output.standard.pager = PagerCommand.text(
      configured: loaded?.configuration.pager, ProcessInfo.processInfo.environment)
  }
}
