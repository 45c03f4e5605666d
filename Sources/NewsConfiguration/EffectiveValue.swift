import FeedImport
import Foundation
package import WebAddress
import TextOutput

/// A setting in force, and its origin.
package struct EffectiveValue: Equatable {
  package enum Origin: Equatable {
    /// The program's default.
    case standard
    /// A command-line option.
    case option(String)
    /// An environment variable.
    case environment(String)
    /// A table in the file, such as `[fetch]`, or a key outside all tables.
    case file(_ place: String)
  }

  /// The key, such as `fetch.jobs`.
  package let key: String
  /// The value as text, without secrets; nil if it is not set.
  package let value: String?
  package let origin: Origin

  package init(key: String, value: String?, origin: Origin) {
    (self.key, self.value, self.origin) = (key, value, origin)
  }
}

extension EffectiveValue.Origin {
  package var text: String {
    switch self {
    case .standard: "default"
    case .option(let name): name
    case .environment(let name): "$\(name)"
    case .file(let place): place
    }
  }
}

extension LoadedConfiguration {
  /// Returns the settings for all feeds, without command-line options.
  package func generalValues() -> [EffectiveValue] {
    importValues() + keptValues(in: "retention.", configuration.retention) { _ in nil } + [
      EffectiveValue(
        key: "retention.auto", value: "\(configuration.appliesRetention)",
        origin: configuration.appliesRetention ? origin(in: ["retention"]) : .standard)
    ]
  }

  /// Returns the settings for all polls, without command-line options.
  package func importValues() -> [EffectiveValue] {
    let options = importOptions()
    let (fetch, schedule) = (configuration.fetch, configuration.schedule)
    func value(_ table: String, _ key: String, _ text: String, isSet: Bool) -> EffectiveValue {
      EffectiveValue(
        key: "\(table).\(key)", value: text, origin: isSet ? origin(in: [table]) : .standard)
    }
    return [
      EffectiveValue(key: "user_agent", value: options.userAgent, origin: userAgentOrigin),
      value("fetch", "jobs", "\(options.jobs)", isSet: fetch.jobs != nil),
      value("fetch", "per_host", "\(options.perHost)", isSet: fetch.perHost != nil),
      value("fetch", "timeout", durationText(options.timeout), isSet: fetch.timeout != nil),
      value(
        "fetch", "connect_timeout", durationText(options.connectTimeout), isSet: fetch.connectTimeout != nil),
      value("fetch", "max_body", "\(grouped(options.maxBody)) bytes", isSet: fetch.maxBody != nil),
      value("fetch", "public_only", "\(options.publicOnly)", isSet: fetch.publicOnly != nil),
      value("schedule", "floor", durationText(options.schedule.floor), isSet: schedule.floor != nil),
      value("schedule", "ceiling", durationText(options.schedule.ceiling), isSet: schedule.ceiling != nil),
    ]
  }

  /// Returns the settings for a feed, or for a region's feeds without their own settings.
  ///
  /// - Parameters:
  ///   - address: The feed's address; nil for all feeds in the region.
  ///   - names: The regions.
  /// - Throws: An error if the regions disagree.
  package func values(ofFeed address: WebAddress?, inRegions names: [String]) throws(ConfigurationError)
    -> [EffectiveValue]
  {
    let settings = try configuration.settings(ofFeed: address ?? WebAddress(""), inRegions: names)
    let own = address.flatMap { configuration.table(ofFeed: $0) }
    func origin(where isSaid: (FeedSettings) -> Bool) -> EffectiveValue.Origin? {
      if let own, isSaid(own.settings) { return self.origin(inFeed: own.url) }
      let region = names.sorted().first { configuration.regions[$0].map(isSaid) ?? false }
      return region.map { self.origin(in: ["region", $0]) }
    }
    var values = [
      EffectiveValue(
        key: "interval", value: settings.interval.map(durationText) ?? "half the feed's publishing interval",
        origin: origin { $0.interval != nil && $0.interval == settings.interval } ?? .standard),
      EffectiveValue(
        key: "user_agent", value: settings.userAgent ?? userAgent,
        origin: origin { $0.userAgent != nil } ?? userAgentOrigin),
    ]
    let kept =
      configuration.retention(ofFeed: address ?? WebAddress(""), inRegions: names)?.retention ?? Retention()
    values += keptValues(in: "", kept) { key in
      origin { said in
        key == "keep"
          ? said.retention.age != nil && said.retention.age == kept.age
          : said.retention.count != nil && said.retention.count == kept.count
      }
    }
    for (key, path) in [("skip", \FeedSettings.skip), ("only", \FeedSettings.only)] {
      guard let patterns = settings[keyPath: path] else { continue }
      let texts = patterns.map(\.description)
      values.append(
        EffectiveValue(
          key: key, value: texts.isEmpty ? nil : texts.joined(separator: ", "),
          origin: origin { $0[keyPath: path] != nil } ?? .standard))
    }
    if let names = settings.volatile {
      values.append(
        EffectiveValue(
          key: "volatile", value: names.isEmpty ? nil : names.joined(separator: ", "),
          origin: origin { $0.volatile != nil } ?? .standard))
    }
    for header in settings.headers {
      values.append(
        EffectiveValue(
          key: "headers.\(header.name)", value: header.value.summary,
          origin: origin { $0.headers.contains { $0.isNamed(header.name) } } ?? .standard))
    }
    if let credentials = settings.credentials {
      values.append(
        EffectiveValue(
          key: "auth", value: credentials.summary,
          origin: origin { $0.credentials != nil } ?? .standard))
    }
    return values
  }

  /// Returns every hook's command.
  package func hookValues() -> [EffectiveValue] {
    configuration.hooks.map { hook in
      EffectiveValue(key: hook.name, value: hook.commandText, origin: origin(of: hook))
    }
  }

  /// Returns the settings for hooks that get articles from regions and a feed. Queries may have further
  /// hooks.
  package func hookValues(ofFeed address: WebAddress? = nil, ofRegions names: [String]) -> [EffectiveValue] {
    configuration.hooks.flatMap { hook -> [EffectiveValue] in
      switch hook.articles {
      case .region(let name): guard names.contains(name) else { return [] }
      case .feed(let other): guard other.identity == address?.identity else { return [] }
      case .query: return []
      }
      let settings = configuration.hookSettings(of: hook)
      let values: [(key: String, value: String, isSet: Bool)] = [
        (hook.kind.rawValue, hook.commandText, true),
        ("hook_format", hook.format.rawValue, settings?.format != nil),
        ("hook_batch", grouped(hook.batch), settings?.batch != nil),
        ("hook_timeout", durationText(hook.timeout), settings?.timeout != nil),
      ]
      return values.map {
        EffectiveValue(key: $0.key, value: $0.value, origin: $0.isSet ? origin(of: hook) : .standard)
      }
    }
  }

  private func origin(of hook: Hook) -> EffectiveValue.Origin {
    switch hook.articles {
    case .region(let name): origin(in: ["region", name])
    case .feed(let address): origin(inFeed: address.text)
    case .query(let name): origin(in: ["query", name])
    }
  }

  /// Returns the retention; articles are kept forever if it is empty.
  ///
  /// - Parameters:
  ///   - table: The key prefix.
  ///   - kept: The retention in force.
  ///   - own: Returns a key's origin in a feed or region table; nil for `[retention]` or the default.
  private func keptValues(
    in table: String, _ kept: Retention, _ own: (_ key: String) -> EffectiveValue.Origin?
  ) -> [EffectiveValue] {
    func general(_ isSaid: Bool) -> EffectiveValue.Origin {
      isSaid ? origin(in: ["retention"]) : .standard
    }
    let age =
      kept.age.map { $0 == .infinity ? "forever" : durationText($0) } ?? (kept.isEmpty ? "forever" : nil)
    return [
      EffectiveValue(
        key: table + "keep", value: age,
        origin: own("keep") ?? general(kept.age != nil)),
      EffectiveValue(
        key: table + "keep_last", value: kept.count.map { grouped($0) },
        origin: own("keep_last") ?? general(kept.count != nil)),
    ]
  }

  private var userAgentOrigin: EffectiveValue.Origin {
    if configuration.userAgent != nil { return .file("user_agent") }
    return configuration.contact == nil ? .standard : .file("contact")
  }

  private func origin(in table: [String]) -> EffectiveValue.Origin {
    .file("[\(table.joined(separator: "."))]")
  }

  private func origin(inFeed url: String) -> EffectiveValue.Origin { .file("[[feed]] \(url)") }
}

extension ConfiguredHeader.Value {
  /// The text omits the value, because a value in the file may be a secret.
  fileprivate var summary: String {
    switch self {
    case .text: "(set)"
    case .secret(let source): "(from \(source.name))"
    }
  }
}

extension ConfiguredCredentials {
  /// The credentials as text, with the secret's location.
  package var summary: String {
    switch self {
    case .basic(let user, let source): "user \(user), password (from \(source.name))"
    case .bearer(let source): "bearer (from \(source.name))"
    }
  }
}
