import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress

/// Configured feed settings, with the secrets that they name.
enum ConfiguredFeeds {
  /// Returns an import's settings for feeds, which are read in parts.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  static func selection(
    _ loaded: LoadedConfiguration, _ stack: NewsStack, _ feeds: ImportFeeds
  ) throws -> ImportSelection {
    var selection = ImportSelection()
    var secrets = loaded.secretReader
    guard hasTables(loaded) else { return selection }
    for part in feeds.parts {
      let feeds = try stack.reading { try stack.source.schedules(part) }
      try add(feeds, loaded, stack, &secrets, to: &selection)
    }
    return selection
  }

  /// Returns an import's settings for feeds.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  static func selection(
    _ loaded: LoadedConfiguration, _ stack: NewsStack, _ feeds: [some EntityValues<Feed>]
  ) throws -> ImportSelection {
    var selection = ImportSelection()
    var secrets = loaded.secretReader
    if hasTables(loaded) { try add(feeds, loaded, stack, &secrets, to: &selection) }
    return selection
  }

  private static func hasTables(_ loaded: LoadedConfiguration) -> Bool {
    !loaded.configuration.regions.isEmpty || !loaded.configuration.feeds.isEmpty
  }

  @MainActor
  private static func add(
    _ feeds: [some EntityValues<Feed>], _ loaded: LoadedConfiguration, _ stack: NewsStack,
    _ secrets: inout SecretReader, to selection: inout ImportSelection
  ) throws {
    try forEach(feeds, loaded, stack) { feed, own, names in
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

  /// Returns feeds that have moved to an address that must not get their header fields and credentials.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  static func boundElsewhere(
    _ loaded: LoadedConfiguration, _ feeds: [Feed], _ stack: NewsStack
  ) throws -> Set<ManagedObjectID> {
    let leaving = feeds.filter { feed in feed.movedTo.map { !$0.hasSameOrigin(as: feed.url) } ?? false }
    var bound: Set<ManagedObjectID> = []
    try forEach(leaving, loaded, stack) { feed, own, _ in
      if !own.headers.isEmpty || own.credentials != nil || feed.url.hasUser { bound.insert(feed.id) }
    }
    return bound
  }

  /// Returns each feed's volatile fields, as the configuration names them; feeds without any are left out.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  static func volatileFields(
    _ loaded: LoadedConfiguration, _ feeds: [Feed], _ stack: NewsStack
  ) throws -> [ManagedObjectID: [String]] {
    var fields: [ManagedObjectID: [String]] = [:]
    try forEach(feeds, loaded, stack) { feed, own, _ in fields[feed.id] = own.volatile }
    return fields
  }

  /// Visits each feed with its settings, and with its regions that have a table, including regions that are
  /// not fetched now.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  private static func forEach<Values: EntityValues<Feed>>(
    _ feeds: [Values], _ loaded: LoadedConfiguration, _ stack: NewsStack,
    _ body: (Values, FeedSettings, [String]) -> Void
  ) throws {
    let configuration = loaded.configuration
    let regions =
      try configuration.regions.isEmpty
      ? [:] : stack.reading { try stack.source.regionNames(of: feeds.map(\.id)) }
    for feed in feeds {
      let names = (regions[feed.id] ?? []).filter { configuration.regions[$0] != nil }
      do throws(ConfigurationError) {
        body(feed, try configuration.settings(ofFeed: feed.url, inRegions: names), names)
      } catch {
        throw loaded.failure(error)
      }
    }
  }
}

extension LoadedConfiguration {
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
