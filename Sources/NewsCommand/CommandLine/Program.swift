import ArgumentParser
import Foundation
import TextOutput

/// The program `newsimport`.
@MainActor
public enum Program {
  /// Runs the command that the process was started with, on the main queue, and exits with its status.
  public static func run() async -> Never {
    ProcessSetup.prepare()
    var status: Int32 = 0
    var saves = false
    var called: (any ParsableCommand.Type)?
    do {
      if let number = ProcessSetup.illegibleArgument() {
        throw CommandFailure(
          .usage, "argument \(number) is not UTF-8, so that something else would be read; write it so")
      }
      if let message = MistypedCommand.message(CommandLine.arguments.dropFirst()) {
        throw CommandFailure(.usage, message)
      }
      var command = try NewsImport.parseAsRoot()
      called = type(of: command)
      saves = called is any SavingCommand.Type
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      status = report(error, of: called)
    }
    Output.standard.finish()
    // More than that some feeds failed, which the next run tells again.
    let lesser = [0, ExitStatus.someFeedsFailed.rawValue, ExitStatus.unavailable.rawValue]
    if lesser.contains(status), Output.standard.hasFailed {
      let rest = saves ? "; what was saved is kept" : ""
      Output.error.tell("newsimport: standard output: cannot be written\(rest)\n")
      status = ExitStatus.inputOutput.rawValue
    }
    exit(status)
  }

  /// Tells of an error.
  ///
  /// - Parameter command: The one that was running; nil where the command line was no command's.
  private static func report(_ error: any Error, of command: (any ParsableCommand.Type)?) -> Int32 {
    switch error {
    case let failure as CommandFailure:
      if let message = failure.message { Output.error.tell("newsimport: \(printable(message))\n") }
      return failure.status.rawValue
    case let code as ExitCode:
      return code.rawValue
    case let error as ValidationError where command != nil:
      tell(UsageMessage.text(error, of: command ?? NewsImport.self))
      return ExitStatus.usage.rawValue
    default:
      let code = NewsImport.exitCode(for: error).rawValue
      let message = NewsImport.fullMessage(for: error)
      // Help is an answer where it was asked for; without any argument it tells what is missing.
      if CommandLine.arguments.count < 2 {
        Output.error.tell(UsageMessage.wrappingUsage(message) + "\n")
        return ExitStatus.usage.rawValue
      }
      let arguments = CommandLine.arguments.dropFirst()
      let isMistake =
        code == ExitStatus.usage.rawValue || code == 0 && !MistypedOption.isAskingParser(arguments)
      if isMistake, let mistake = MistypedOption.message(arguments) {
        Output.error.tell("newsimport: \(printable(mistake))\n")
        return ExitStatus.usage.rawValue
      }
      if code == 0 {
        Output.standard.write(UsageMessage.wrappingUsage(message) + "\n")
      } else {
        tell(UsageMessage.suggestingValue(in: message))
      }
      return code
    }
  }

  /// Tells lines in which somebody's words may be.
  private static func tell(_ message: String) {
    Output.error.tell(
      message.split(separator: "\n", omittingEmptySubsequences: false).map(printable).joined(separator: "\n")
        + "\n")
  }
}
