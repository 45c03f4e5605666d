import ArgumentParser
import Foundation

/// Measures newsimport on this machine: each stage alone, and the program as a whole.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measures newsimport and its stages over generated feeds.",
    subcommands: [
      RunCommand.self, CountsCommand.self, CorpusCommand.self, StoreCommand.self, StageCommand.self,
      ServeCommand.self, OutputCommand.self, ParseCommand.self, ServerStoreCommand.self,
      ServerFleetCommand.self, ServerScaleCommand.self, ServerWatchCommand.self, PublishCommand.self,
    ])
}

/// The reason why something cannot be measured.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  static func system(_ call: String, _ code: Int32 = errno) -> Failure {
    Failure("\(call): \(String(cString: strerror(code)))")
  }
}
