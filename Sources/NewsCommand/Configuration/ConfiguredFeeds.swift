import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress

/// Feeds with their settings, and the secrets that the settings name.
@MainActor
struct ConfiguredFeeds<Values: EntityValues<Feed>> {
  private let loaded: LoadedConfiguration
  private let feeds: [Values]
  /// The names of each feed's regions; empty if the configuration has no table of a region.
  private let regions: [ManagedObjectID: [String]]

  /// - Parameter regions: The names of each feed's regions; nil to read them if they matter.
  init(
    _ feeds: [Values], _ loaded: LoadedConfiguration, _ stack: NewsStack,
    inRegions regions: [ManagedObjectID: [String]]? = nil
  ) throws {
    (self.feeds, self.loaded) = (feeds, loaded)
    self.regions =
      try loaded.configuration.regions.isEmpty
      ? [:] : regions ?? stack.reading { try stack.source.regionNames(of: feeds.map(\.id)) }
  }

  /// Returns an import's settings for the feeds.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  func selection() throws -> ImportSelection {
    var (selection, secrets) = (ImportSelection(), loaded.secretReader)
    if loaded.hasTables { try add(to: &selection, &secrets) }
    return selection
  }

  fileprivate func add(to selection: inout ImportSelection, _ secrets: inout SecretReader) throws {
    try forEach { feed, own, names in
      // A feed with its own table would lose the table if its address changed.
      if loaded.configuration.table(ofFeed: feed.url) != nil { selection.keptAddresses.insert(feed.id) }
      guard !own.isEmpty else { return }
      do throws(ConfigurationError) {
        var settings = own.ofArticles
        settings.interval = own.interval
        settings.additions = try secrets.additions(own, of: feed.url.withoutPassword)
        selection.settings[feed.id] = settings
      } catch {
        // The secrets of the other feeds may be available.
        selection.unusable[feed.id] =
          loaded.failure(ofFeed: feed.url, inRegions: names, error).message ?? error.cause
      }
    }
  }

  /// Returns the feeds that have moved to an address that must not get their header fields and credentials.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  func boundElsewhere() throws -> Set<ManagedObjectID> {
    var bound: Set<ManagedObjectID> = []
    try forEach(where: { feed in feed.movedTo.map { !$0.hasSameOrigin(as: feed.url) } ?? false }) {
      feed, own, _ in
      if !own.headers.isEmpty || own.credentials != nil || feed.url.hasUser { bound.insert(feed.id) }
    }
    return bound
  }

  /// Returns each feed's volatile fields, as the configuration names them; feeds without any are left out.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  func volatileFields() throws -> [ManagedObjectID: [String]] {
    var fields: [ManagedObjectID: [String]] = [:]
    try forEach { feed, own, _ in fields[feed.id] = own.volatile }
    return fields
  }

  /// Visits each feed with its settings, and with its regions that have a table, including regions that are
  /// not fetched now.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  private func forEach(
    where isVisited: (Values) -> Bool = { _ in true }, _ body: (Values, FeedSettings, [String]) -> Void
  ) throws {
    let configuration = loaded.configuration
    for feed in feeds where isVisited(feed) {
      let names = (regions[feed.id] ?? []).filter { configuration.regions[$0] != nil }
      do throws(ConfigurationError) {
        body(feed, try configuration.settings(ofFeed: feed.url, inRegions: names), names)
      } catch {
        throw loaded.failure(error)
      }
    }
  }
}

extension ImportSelection {
  /// Creates an import's settings for feeds, which are read in parts.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  init(of feeds: ImportFeeds, _ loaded: LoadedConfiguration, _ stack: NewsStack) throws {
    self.init()
    guard loaded.hasTables else { return }
    var secrets = loaded.secretReader
    for part in feeds.parts {
      let feeds = try stack.reading { try stack.source.schedules(part) }
      try ConfiguredFeeds(feeds, loaded, stack).add(to: &self, &secrets)
    }
  }
}

extension LoadedConfiguration {
  /// True if the configuration has a table of a region or a feed.
  fileprivate var hasTables: Bool { !configuration.regions.isEmpty || !configuration.feeds.isEmpty }

  /// Returns the request additions for addresses that will become feeds in a region.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if a secret is missing.
  func additions(
    forNew addresses: [WebAddress], inRegion region: String
  ) throws -> [WebAddress: RequestAdditions] {
    var secrets = secretReader
    var additions: [WebAddress: RequestAdditions] = [:]
    for address in addresses {
      do throws(ConfigurationError) {
        let settings = try configuration.settings(ofFeed: address, inRegions: [region])
        additions[address] = try secrets.additions(settings, of: address.withoutPassword)
      } catch {
        throw failure(ofFeed: address, inRegions: [region], error)
      }
    }
    return additions
  }

  /// Returns the failure for a feed's settings. A missing secret is reported for the table that names it, as
  /// in `config check`, and not for the feed.
  fileprivate func failure(
    ofFeed address: WebAddress, inRegions names: [String], _ error: ConfigurationError
  ) -> CommandFailure {
    let url = address.withoutPassword
    let own = configuration.table(ofFeed: address)
    let tables =
      [("feed \(own?.url ?? url)", own?.settings)]
      + names.sorted().map { ("region \($0)", configuration.regions[$0]) }
    var secrets = secretReader
    for case (let name, let settings?) in tables {
      do throws(ConfigurationError) {
        _ = try secrets.additions(settings, of: name)
      } catch {
        return failure(error)
      }
    }
    return failure(error)
  }
}
