package import FeedImport
import Foundation
package import WebAddress

extension Configuration {
  /// Returns a feed's settings: its own table, and for missing values its regions' tables.
  ///
  /// If the feed is in several regions, the shortest interval and the longest retention apply. If the regions
  /// have different values for any other key, none can be chosen.
  /// - Parameters:
  ///   - address: The feed's stored address; tables name it without its password.
  ///   - names: All regions with the feed; regions without a table have no effect.
  /// - Throws: An error if the regions disagree and the feed's own table does not state the value.
  package func settings(
    ofFeed address: WebAddress, inRegions names: [String]
  ) throws(ConfigurationError) -> FeedSettings {
    let url = address.withoutPassword
    let own = table(ofFeed: address)?.settings ?? FeedSettings()
    let tables = names.sorted().compactMap { name in regions[name].map { (name: name, settings: $0) } }
    var settings = own
    settings.interval = own.interval ?? tables.compactMap(\.settings.interval).min()
    if own.retention.isEmpty {
      settings.retention = tables.map(\.settings.retention).reduce(Retention()) { $0.union($1) }
    }
    if own.userAgent == nil {
      settings.userAgent = try agreed("user_agent", url, tables.map { ($0.name, $0.settings.userAgent) })
    }
    if own.skip == nil { settings.skip = try agreed("skip", url, tables.map { ($0.name, $0.settings.skip) }) }
    if own.only == nil { settings.only = try agreed("only", url, tables.map { ($0.name, $0.settings.only) }) }
    if own.volatile == nil {
      settings.volatile = try agreed("volatile", url, tables.map { ($0.name, $0.settings.volatile) })
    }
    if own.credentials == nil {
      settings.credentials = try agreed("auth", url, tables.map { ($0.name, $0.settings.credentials) })
    }
    for header in tables.flatMap(\.settings.headers) {
      guard !settings.headers.contains(where: { $0.isNamed(header.name) }) else { continue }
      let values = tables.map { table in
        (table.name, table.settings.headers.first { $0.isNamed(header.name) }?.value)
      }
      guard let value = try agreed("headers.\(header.name)", url, values) else { continue }
      settings.headers.append(ConfiguredHeader(name: header.name, value: value))
    }
    return settings
  }

  /// Returns a feed's retention and its source: the feed's own table, or else all its regions. A region
  /// without a retention uses `[retention]`. Nil if no source states a retention, or if a region then keeps
  /// everything.
  package func retention(
    ofFeed address: WebAddress, inRegions names: [String]
  ) -> (retention: Retention, source: String)? {
    if let own = table(ofFeed: address)?.settings.retention, !own.isEmpty { return (own, "[[feed]]") }
    let saying = names.sorted().filter { regions[$0].map { !$0.retention.isEmpty } ?? false }
    guard !saying.isEmpty else { return retention.isEmpty ? nil : (retention, "[retention]") }
    let isGeneral = saying.count < names.count
    if isGeneral && retention.isEmpty { return nil }
    let longest = saying.compactMap { regions[$0]?.retention }.reduce(isGeneral ? retention : Retention()) {
      $0.union($1)
    }
    let source = "\(saying.count == 1 ? "region" : "regions") \(saying.joined(separator: ", "))"
    return (longest, isGeneral ? "\(source), [retention]" : source)
  }

  /// True if the configuration limits how long any articles are kept.
  package var saysRetention: Bool {
    !retention.isEmpty || regions.values.contains { !$0.retention.isEmpty }
      || feeds.values.contains { !$0.retention.isEmpty }
  }

  /// Returns the value on which the regions agree for a key; nil without a value.
  private func agreed<Value: Equatable>(
    _ key: String, _ url: String, _ values: [(region: String, value: Value?)]
  ) throws(ConfigurationError) -> Value? {
    var first: (region: String, value: Value)?
    for (region, value) in values {
      guard let value else { continue }
      guard let known = first else {
        first = (region, value)
        continue
      }
      guard known.value == value else {
        throw ConfigurationError(
          "region.\(region).\(key)",
          "differs from region.\(known.region).\(key), and \(url) is in both; "
            + "give it a [[feed]] table of its own with the value")
      }
    }
    return first?.value
  }
}
