import ArgumentParser

/// The option of every command that uses a store.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The store's file (default: $NEWSIMPORT_STORE, or else news.sqlite in the data folder).",
      valueName: "path"
    ), completion: .file())
  var store: String?

  func validate() throws {
    // An unset variable of a script must not select another store.
    if store?.isEmpty == true { throw ValidationError("--store names no file.") }
  }
}

/// The option of every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The configuration (default: $NEWSIMPORT_CONFIG, or else newsimport/config.toml in the settings folder).",
      valueName: "path"), completion: .file(extensions: ["toml"]))
  var config: String?
}
