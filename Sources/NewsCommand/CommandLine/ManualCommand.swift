import ArgumentParser

/// `newsimport manual PAGE`, for `make install` and `make reference`.
struct ManualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print a page of the manual for man, or the reference of the commands in Markdown.",
    shouldDisplay: false)

  /// What there are pages of.
  enum Page: String, ExpressibleByArgument, CaseIterable {
    case command = "newsimport.1"
    case configuration = "newsimport.toml.5"
    case reference = "commands.md"

    /// The pages for `man`.
    static let manual = [command, configuration]
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
      case .reference: try CommandReference().page
      }
    }
  }
}
