import ArgumentParser

/// The command and its subcommands.
struct NewsImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "newsimport",
    abstract: "Imports news feeds into one SQLite store, politely and fast.",
    discussion: """
      Examples:
        newsimport region add world https://world.example.com/rss.xml
        newsimport fetch world
        newsimport list world --since 1d
        newsimport list world --json | jq -r .url

      The store is at --store, else $NEWSIMPORT_STORE, else $XDG_DATA_HOME/newsimport/news.sqlite. The
      configuration is at --config, else $NEWSIMPORT_CONFIG, else $XDG_CONFIG_HOME/newsimport/config.toml; set
      contact = "you@example.org" there, so that publishers can reach you before they block you.
      Exit status: 0 all went well, 1 some feeds failed, 64 usage, 65 not a feed or not a store,
      66 no such region or file, 69 every feed failed, 73/74 cannot write, 75 store busy, 78 configuration.
      """,
    version: Version.text,
    subcommands: [
      RegionCommand.self, OPMLCommand.self, FetchCommand.self, ListCommand.self, ShowCommand.self,
      ExplainCommand.self,
      DoctorCommand.self, ParseCommand.self, StoreCommand.self, ConfigCommand.self,
    ])
}

/// Options that every command with a store takes.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The store's file (default: $NEWSIMPORT_STORE, else news.sqlite in the data folder).", valueName: "path"
    ))
  var store: String?
}

/// Options that every command takes that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The configuration (default: $NEWSIMPORT_CONFIG, else newsimport/config.toml in the folder of settings).",
      valueName: "path"))
  var config: String?
}

/// What the program calls itself.
enum Version {
  static let number = "0.1.0"
  static let text = "newsimport \(number)"
  /// Names the program; where its user can be reached, only that user can say.
  static let userAgent = "newsimport/\(number)"

  /// Names the program and where its user can be reached: at a page, or by mail.
  static func userAgent(contact: String) -> String {
    let link = contact.contains("://") ? "+\(contact)" : "mailto:\(contact)"
    return "newsimport/\(number) (\(link))"
  }
}
