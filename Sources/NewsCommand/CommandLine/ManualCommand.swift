import ArgumentParser

/// `newsimport manual PAGE`, for `make install`.
struct ManualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print a page of the manual, to be formatted by man.",
    shouldDisplay: false)

  /// What there are pages of.
  enum Page: String, ExpressibleByArgument, CaseIterable {
    case command = "newsimport.1"
    case configuration = "newsimport.toml.5"
  }

  @Argument(help: "The page.") var page: Page

  func run() async throws {
    await Output.standard.write(try page.text)
  }
}

extension ManualCommand.Page {
  /// The page as troff.
  var text: String {
    get throws {
      switch self {
      case .command: try CommandManual().page
      case .configuration: ConfigurationManual.page
      }
    }
  }
}
