import ArgumentParser
import Foundation

/// The option for every command that uses a store.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      The store's file, or its address on a PostgreSQL server: postgresql://HOST/DATABASE (default: $NEWSIMPORT_STORE, or else \
      news.sqlite in the data folder).
      """,
      valueName: "store"
    ), completion: .file())
  var store: String?

  func validate() throws {
    // An unset variable in a script must not select another store.
    if store?.isEmpty == true { throw ValidationError("--store names no file.") }
    for (text, origin) in [(store, "--store"), (Self.ofEnvironment, "NEWSIMPORT_STORE")] {
      guard let text else { continue }
      if let mistake = StoreLocation.mistake(in: text) { throw ValidationError("\(origin): \(mistake).") }
      // The variable has no effect.
      return
    }
  }

  /// NEWSIMPORT_STORE; nil if it is not set or empty.
  static var ofEnvironment: String? { UserEnvironment["NEWSIMPORT_STORE"] }
}

/// The option for every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The configuration (default: $NEWSIMPORT_CONFIG, or else newsimport/config.toml in the settings folder).",
      valueName: "path"), completion: .file(extensions: ["toml"]))
  var config: String?
}

/// The process's environment variables.
enum UserEnvironment {
  /// A variable; nil if it is not set or empty.
  static subscript(name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the folder that a variable names, or else one in the home folder. A relative name must be
  /// ignored (XDG Base Directory Specification).
  static func folder(_ name: String, orInHome usual: String) -> String {
    if let folder = self[name], folder.hasPrefix("/") { return folder }
    return (self["HOME"] ?? NSHomeDirectory()) + "/" + usual
  }
}
