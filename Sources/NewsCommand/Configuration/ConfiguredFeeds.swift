import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress

/// The settings of feeds in the configuration, with the secrets that it names.
enum ConfiguredFeeds {
  /// Returns an import's settings for feeds. Without tables for regions or feeds the feeds are not read.
  ///
  /// - Throws: ``CommandFailure`` with status 78 if regions disagree.
  @MainActor
  static func selection(
    _ loaded: LoadedConfiguration, _ stack: NewsStack, _ feeds: () throws -> [FeedOutline]
  ) throws -> ImportSelection {
    var selection = ImportSelection()
    let configuration = loaded.configuration
    guard !configuration.regions.isEmpty || !configuration.feeds.isEmpty else { return selection }
    let regions = try regions(of: configuration, stack)
    var secrets = loaded.secretReader
    for feed in try feeds() {
      // A feed with its own table would lose it with its address.
      if configuration.table(ofFeed: feed.url) != nil { selection.keptAddresses.insert(feed.id) }
      let names = regions[feed.id] ?? []
      let own: FeedSettings
      do throws(ConfigurationError) {
        own = try configuration.settings(ofFeed: feed.url, inRegions: names)
        guard own != FeedSettings() else { continue }
      } catch {
        throw loaded.failure(error)
      }
      do throws(ConfigurationError) {
        selection.settings[feed.id] = .init(
          interval: own.interval, additions: try secrets.additions(own, of: feed.url.withoutPassword),
          filter: ArticleFilter(skip: own.skip ?? [], only: own.only ?? []))
      } catch {
        // The secrets of the other feeds may be there.
        selection.unusable[feed.id] =
          loaded.failure(ofFeed: feed.url, inRegions: names, error).message ?? error.cause
      }
    }
    return selection
  }

  /// The feeds that have moved to where their header fields and credentials must not be sent.
  ///
  /// - Throws: ``CommandFailure`` with status 78 when regions disagree.
  @MainActor
  static func boundElsewhere(
    _ loaded: LoadedConfiguration, _ feeds: [Feed], _ stack: NewsStack
  ) throws -> Set<ManagedObjectID> {
    let configuration = loaded.configuration
    let regions = try Self.regions(of: configuration, stack)
    var bound: Set<ManagedObjectID> = []
    for feed in feeds {
      guard let target = feed.movedTo, !target.hasSameOrigin(as: feed.url) else { continue }
      do throws(ConfigurationError) {
        let own = try configuration.settings(ofFeed: feed.url, inRegions: regions[feed.id] ?? [])
        if !own.headers.isEmpty || own.credentials != nil || feed.url.hasUser {
          bound.insert(feed.id)
        }
      } catch {
        throw loaded.failure(error)
      }
    }
    return bound
  }

  /// The names of the regions with a table, by the feeds that are in them; those of other runs count, too.
  @MainActor
  private static func regions(
    of configuration: Configuration, _ stack: NewsStack
  ) throws -> [ManagedObjectID: [String]] {
    var names: [ManagedObjectID: [String]] = [:]
    try stack.reading {
      for name in configuration.regions.keys {
        guard let region = try stack.source.region(named: name) else { continue }
        for feed in try stack.source.feedIDs(of: region) { names[feed, default: []].append(name) }
      }
    }
    return names
  }
}

extension LoadedConfiguration {
  /// What is sent with requests for addresses that are to become feeds of a region, by address.
  ///
  /// - Throws: ``CommandFailure`` with status 78 when a secret is not where it should be.
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

  /// The failure of a feed's settings. A secret that is missing is told of the table that names it, as `config check` tells
  /// it, not of a feed that comes by it.
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

extension SecretReader {
  /// Every secret that is not where the configuration says that it is.
  mutating func mistakes(_ settings: FeedSettings, of name: String) -> [ConfigurationError] {
    // Each alone: what is read stops at the first that is missing.
    var alone = settings.headers.map { FeedSettings(headers: [$0]) }
    alone.append(FeedSettings(credentials: settings.credentials))
    var mistakes: [ConfigurationError] = []
    for settings in alone {
      do throws(ConfigurationError) {
        _ = try additions(settings, of: name)
      } catch {
        mistakes.append(error)
      }
    }
    return mistakes
  }

  /// What is sent to a feed's server, read from where the configuration says that it is.
  mutating func additions(
    _ settings: FeedSettings, of url: String
  ) throws(ConfigurationError) -> RequestAdditions {
    var additions = RequestAdditions()
    additions.userAgent = settings.userAgent
    for header in settings.headers {
      let value =
        switch header.value {
        case .text(let text): Secret(text)
        case .secret(let source): try secret(at: source, for: "headers.\(header.name) of \(url)")
        }
      additions.headers.append((header.name, value))
    }
    switch settings.credentials {
    case nil: break
    case .basic(let user, let source):
      additions.credentials = .basic(
        user: user, password: try secret(at: source, for: "auth.basic of \(url)"))
    case .bearer(let source):
      additions.credentials = .bearer(try secret(at: source, for: "auth of \(url)"))
    }
    return additions
  }
}
