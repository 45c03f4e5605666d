import ArgumentParser
import Foundation
import NewsConfiguration
import NewsModel
import TextOutput

/// The program `newsimport`.
@MainActor
public enum Program {
  /// Does each command's first work, without any thread: for a process whose copies run commands.
  package static func load() {
    _ = try? NewsImport.parseAsRoot(["list", "world"])
    _ = NewsModel.model
  }

  /// Runs the command that the process was started with, on the main queue, and exits with its status.
  ///
  /// - Parameter arguments: Other arguments than the process's own.
  public static func run(_ arguments: ProcessArguments = .ofProcess) async -> Never {
    ProcessSetup.prepare()
    StoreLocation.prepareLibraries()
    var status: Int32 = 0
    var saves = false
    var called: (any ParsableCommand.Type)?
    do {
      guard arguments.areKnown else {
        throw CommandFailure(
          .system, "/proc/self/cmdline cannot be read, so the arguments are not known; mount proc(5) on /proc"
        )
      }
      if let number = arguments.illegible {
        throw CommandFailure(
          .usage, "argument \(number) is not valid UTF-8")
      }
      // The option parser would read all commands first, which takes as long as the rest.
      if arguments.words == ["--version"] {
        Output.standard.write(Version.text + "\n")
        throw ExitCode.success
      }
      if arguments.words.isEmpty {
        Output.error.print(NewsImport.firstCommands)
        throw ExitCode(ExitStatus.usage.rawValue)
      }
      let mistake =
        MisplacedAddress.message(arguments.words) ?? MistypedCommand.message(arguments.words[...])
      if let mistake { throw CommandFailure(.usage, mistake) }
      var command = try NewsImport.parseAsRoot(arguments.words)
      called = type(of: command)
      saves = called is any SavingCommand.Type
      let words = NewsImport.path(of: arguments.words).split(separator: " ")
      TransactionAuthor.running = words.dropFirst().first.map(String.init)
      try ProcessSetup.checkResources(forSaving: (called as? any MainCommand.Type)?.needsThreads ?? false)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      status = report(error, of: called, with: arguments.words)
    }
    Output.standard.finish()
    // A failed write takes precedence over some failed feeds, which the next run reports again.
    let lesser = [0, ExitStatus.someFeedsFailed.rawValue, ExitStatus.unavailable.rawValue]
    if let failure = Output.standard.failure, lesser.contains(status) {
      let rest = saves ? "; what was saved is kept" : ""
      Output.error.warn("standard output: cannot be written: \(systemCause(failure))\(rest)")
      status = ExitStatus.inputOutput.rawValue
    }
    Output.standard.end()
    exit(status)
  }

  /// Reports an error, and returns the exit status.
  ///
  /// - Parameters:
  ///   - command: The running command; nil if the command line named none.
  ///   - arguments: The program's arguments.
  private static func report(
    _ error: any Error, of command: (any ParsableCommand.Type)?, with arguments: [String]
  ) -> Int32 {
    switch error {
    case let failure as CommandFailure:
      if let message = failure.message { Output.error.warn(printable(message)) }
      return failure.status.rawValue
    case let code as ExitCode:
      return code.rawValue
    case let error as ValidationError where command != nil:
      Output.error.warn(printable(UsageMessage.line(error.message, of: NewsImport.path(of: arguments))))
      return ExitStatus.usage.rawValue
    default:
      let code = NewsImport.exitCode(for: error).rawValue
      if code == 0 {
        Output.standard.write(UsageMessage.page(NewsImport.fullMessage(for: error)) + "\n")
      } else {
        let text = NewsImport.message(for: error)
        let isUsage = code == ExitStatus.usage.rawValue
        let line = isUsage ? UsageMessage.line(text, of: NewsImport.path(of: arguments)) : text
        Output.error.warn(printable(line))
      }
      return code
    }
  }
}
