import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress
import TextOutput

extension ConfigCommand {
  /// `newsimport config show`
  struct Show: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print the settings in force, and the source of each.",
      discussion: """
        Secrets are neither checked nor printed. --region prints the settings for the feeds of a region, --feed those for \
        one feed, from its own table and those of its regions.
        Examples:
          newsimport config show
          newsimport config show --feed members.example.com
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Option(help: "The region.", completion: .regions) var region: String?
    @Option(help: "The feed's address, or a part of it.") var feed: String?
    @Flag(
      help: """
        One JSON object per line: key, value, source (default, file, environment or option), place.
        """)
    var json = false

    func validate() throws {
      guard region == nil || feed == nil else { throw ValidationError("Give --region or --feed, not both.") }
    }

    func perform() async throws {
      let loaded = try configurationOptions.load()
      let values: [EffectiveValue]
      if let name = region {
        try checkRegion(name, loaded, storeOptions)
        values = try effective(nil, [name], loaded) + loaded.hookValues(ofRegions: [name])
      } else if let text = feed {
        let (address, regions) = try named(text, loaded, storeOptions)
        values =
          try effective(address, regions, loaded) + loaded.hookValues(ofFeed: address, ofRegions: regions)
      } else {
        let environment = ProcessInfo.processInfo.environment
        values =
          [
            EffectiveValue(
              key: "configuration", value: loaded.isThere ? loaded.path : nil,
              origin: origin(configurationOptions.config, "--config", "NEWSIMPORT_CONFIG", environment)),
            EffectiveValue(
              key: "store", value: NewsStack.location(storeOptions).name,
              origin: origin(storeOptions.store, "--store", "NEWSIMPORT_STORE", environment)),
          ] + loaded.generalValues() + loaded.hookValues()
      }
      if json {
        for value in values { writeJSON(object(value)) }
      } else {
        // A narrow terminal has no room for the most common origin, the default.
        let isNarrow = Output.standard.columns ?? .max < 60
        Output.standard.print(
          aligned: values.map {
            let origin = isNarrow && $0.origin == .standard ? "" : printable($0.origin.text)
            return [$0.key, printable($0.value ?? "none"), origin]
          })
      }
    }
  }
}

private func effective(
  _ address: WebAddress?, _ regions: [String], _ loaded: LoadedConfiguration
) throws -> [EffectiveValue] {
  do throws(ConfigurationError) {
    return try loaded.values(ofFeed: address, inRegions: regions)
  } catch {
    throw loaded.failure(error)
  }
}

/// - Throws: ``CommandFailure`` with status 66 if neither the store nor the configuration has the region.
@MainActor
private func checkRegion(_ name: String, _ loaded: LoadedConfiguration, _ options: StoreOptions) throws {
  if loaded.configuration.regions[name] != nil { return }
  _ = try NewsStack.existing(options, forRegion: name, for: .reading).region(named: name)
}

/// Returns a feed's address and regions. A feed that is only in the configuration has no regions.
@MainActor
private func named(
  _ text: String, _ loaded: LoadedConfiguration, _ options: StoreOptions
) throws -> (address: WebAddress, regions: [String]) {
  let address = WebAddress(text)
  let table = loaded.configuration.table(ofFeed: address)
  guard
    let stack = try table == nil
      ? NewsStack.existing(options, forFeed: text, for: .reading) : NewsStack.ifThere(options, for: .reading)
  else { return (address, []) }
  if table != nil, try stack.reading({ try stack.source.feed(at: address) }) == nil { return (address, []) }
  let feed = try stack.feed(at: text)
  return (feed.url, try stack.reading { try stack.source.regions(of: feed).map(\.name) })
}

private func origin(
  _ given: String?, _ option: String, _ variable: String, _ environment: [String: String]
) -> EffectiveValue.Origin {
  if given?.isEmpty == false { return .option(option) }
  return environment[variable]?.isEmpty == false ? .environment(variable) : .standard
}

private func object(_ value: EffectiveValue) -> JSONLine {
  let (source, place): (String, String?) =
    switch value.origin {
    case .standard: ("default", nil)
    case .option(let name): ("option", name)
    case .environment(let name): ("environment", name)
    case .file(let place): ("file", place)
    }
  return ["key": value.key, "value": value.value, "source": source, "place": place]
}
