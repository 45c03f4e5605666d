import FeedImport
import Foundation
import WebAddress

extension Configuration {
  /// What holds for one feed: its own table, and what that leaves open its regions'.
  ///
  /// Of several regions the shortest interval and the longest retention win; where they say different things of anything
  /// else, none can.
  /// - Parameters:
  ///   - address: The feed's address as it is stored; tables name it without its password.
  ///   - names: All regions that it is in; those without a table say nothing.
  /// - Throws: When its regions disagree and it has no word of its own.
  func settings(
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

  /// How long the articles of one feed are kept, and what says so: its own table, else all of its regions, of which one
  /// that says nothing has what `[retention]` says; nil where nothing does, and where one of them keeps all for that.
  func retention(
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

  /// Whether anything is said of how long articles are kept.
  var saysRetention: Bool {
    !retention.isEmpty || regions.values.contains { !$0.retention.isEmpty }
      || feeds.values.contains { !$0.retention.isEmpty }
  }

  /// The one value that regions have for a key; nil when none has any.
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
            + "give it a [[feed]] table of its own that says which")
      }
    }
    return first?.value
  }
}
