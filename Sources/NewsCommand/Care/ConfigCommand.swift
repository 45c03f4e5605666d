import ArgumentParser
import FeedImport
import Foundation
import NewsModel
import WebAddress
import TextOutput

/// `newsimport config …`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Look at the configuration.", subcommands: [Show.self, Check.self])

  /// `newsimport config check`
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Print what is in force, or what is wrong.",
      discussion: """
        Secrets are looked for and not printed. Feeds of the store whose regions disagree are named. A table of a region \
        that the store does not have is no mistake, since it may be added later; the one that may be meant is named.
        Exit status: 0 all is well, 66 no such file, 78 a mistake in it.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Flag(
      help: """
        One JSON object a line: kind (file, setting, region or feed), name, value, in_store, suggestion.
        """)
    var json = false
  }
}

extension ConfigCommand.Check {
  @MainActor
  func run() async throws {
    let loaded = try configurationOptions.load()
    let configuration = loaded.configuration
    var stored: Set<String>?
    var regions: [String] = []
    if let stack = try NewsStack.ifThere(storeOptions, for: .reading) {
      let all = try stack.reading { try stack.source.regions() }
      regions = all.map(\.name)
      let feeds = try stack.reading { try all.flatMap { try stack.source.feedOutlines(of: $0) } }
      _ = try ConfiguredFeeds.selection(loaded, stack) { feeds }
      let named = feeds.compactMap { configuration.table(ofFeed: $0.url)?.url }
      stored = Set(regions.map { "region \($0)" } + named.map { "feed \($0)" })
    }
    let what =
      loaded.isThere
      ? "\(counted(configuration.regions.count, "region")), \(counted(configuration.feeds.count, "feed"))"
      : nil
    let rows =
      settingRows(loaded).map {
        CheckedRow(kind: "setting", name: $0.0, value: $0.1)
      } + tableRows(configuration, stored, regions: regions)
    if json {
      for row in [CheckedRow(kind: "file", name: loaded.path, value: what)] + rows {
        Output.standard.write(row.json)
      }
    } else {
      let words = what ?? "no such file, the program's own settings are in force"
      Output.standard.tell("configuration  \(printable(loaded.path))  \(words)\n")
      Output.standard.tell(aligned(rows.map { ["  \(printable($0.title))", printable($0.words)] }))
    }
    // What is in force tells more where something is missing.
    try checkSecrets(loaded)
  }
}

/// Secrets of tables whose feeds are not in the store yet are missing all the same.
@MainActor
private func checkSecrets(_ loaded: LoadedConfiguration) throws {
  var secrets = loaded.secretReader
  let mistakes = tables(loaded.configuration).flatMap {
    secrets.mistakes($0.settings, of: "\($0.kind) \($0.name)")
  }
  guard let last = mistakes.last else { return }
  for mistake in mistakes.dropLast() {
    Output.error.tell("newsimport: \(printable(loaded.failure(mistake).message ?? mistake.cause))\n")
  }
  throw loaded.failure(last)
}

private func tables(
  _ configuration: Configuration
) -> [(kind: String, name: String, settings: FeedSettings)] {
  configuration.regions.sorted { $0.key < $1.key }.map { ("region", $0.key, $0.value) }
    + configuration.feeds.sorted { $0.key < $1.key }.map { ("feed", $0.key, $0.value) }
}

private func settingRows(_ loaded: LoadedConfiguration) -> [(String, String)] {
  let options = loaded.importOptions()
  return [
    ("user_agent", options.userAgent),
    ("fetch.jobs", "\(options.jobs)"),
    ("fetch.per_host", "\(options.perHost)"),
    ("fetch.timeout", durationText(options.timeout)),
    ("fetch.connect_timeout", durationText(options.connectTimeout)),
    ("fetch.max_body", "\(grouped(options.maxBody)) bytes"),
    ("fetch.public_only", "\(options.publicOnly)"),
    ("schedule.floor", durationText(options.schedule.floor)),
    ("schedule.ceiling", durationText(options.schedule.ceiling)),
    ("retention", "keeps \(loaded.configuration.retention.keptWords)"),
  ]
}

/// - Parameters:
///   - stored: The names of all tables that could mean something; nil where there is no store yet.
///   - regions: The regions of the store.
private func tableRows(
  _ configuration: Configuration, _ stored: Set<String>?, regions: [String]
) -> [CheckedRow] {
  tables(configuration).map { kind, name, settings in
    var parts: [String] = []
    if let interval = settings.interval { parts.append("every \(durationText(interval))") }
    if !settings.retention.isEmpty { parts.append("keeps \(settings.retention.keptWords)") }
    for (word, patterns) in [("skips", settings.skip), ("only", settings.only)] {
      guard let patterns, !patterns.isEmpty else { continue }
      parts.append("\(word) \(patterns.map { "\($0.field.rawValue):\($0.text)" }.joined(separator: " or "))")
    }
    if let userAgent = settings.userAgent { parts.append("as \(userAgent)") }
    parts += settings.headers.map { header in
      // A value in the file may be a key all the same.
      if case .secret(let source) = header.value { return "\(header.name) (from \(source.name))" }
      return header.name
    }
    switch settings.credentials {
    case nil: break
    case .basic(let user, let source): parts.append("user \(user), password (from \(source.name))")
    case .bearer(let source): parts.append("bearer (from \(source.name))")
    }
    let isStored = stored?.contains("\(kind) \(name)")
    return CheckedRow(
      kind: kind, name: name, value: parts.isEmpty ? nil : parts.joined(separator: ", "), isStored: isStored,
      suggestion: isStored == false && kind == "region" ? nearestWord(to: name, among: regions) : nil)
  }
}

/// A line of what `config check` prints.
private struct CheckedRow {
  /// Of what it is: the file, a setting, or a table of a region or of a feed.
  let kind: String
  let name: String
  /// What is in force; nil for nothing.
  let value: String?
  /// Whether the store has what a table is of; nil where there is no store, and for other lines.
  var isStored: Bool?
  /// The region that is probably meant by one that is not in the store.
  var suggestion: String?

  var title: String { kind == "setting" ? name : "\(kind) \(name)" }

  var words: String {
    let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
    return (value ?? "nothing set") + (isStored == false ? "   (not in the store\(hint))" : "")
  }

  var json: String {
    var line = JSONLine()
    line.add("kind", kind)
    line.add("name", name)
    line.add("value", value)
    line.addRaw("in_store", isStored.map { "\($0)" })
    line.add("suggestion", suggestion)
    return line.line
  }
}
