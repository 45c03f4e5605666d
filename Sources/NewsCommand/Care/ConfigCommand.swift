import ArgumentParser
import ArticleDocuments
import DocumentReading
import FeedImport
import Foundation
import NewsConfiguration
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport config …`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check the configuration.", subcommands: [Check.self])

  /// `newsimport config check`
  struct Check: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Print the settings in force, or the errors in the configuration.",
      discussion: """
        Checks that secrets exist, but does not print them, and that the programs of hooks and the names in their queries exist. Lists the feeds in the store whose regions have conflicting settings. A table for \
        a region that is not in the store is not an error, because the region may be added later; a similar name is suggested.
        Exit status: 0 no errors, 66 no such file, 78 an error in the file.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Flag(
      help: """
        One JSON object per line: kind (file, setting, region, feed, query or hook), name, value, in_store, suggestion; of a hook also problem.
        """)
    var json = false

    func perform() async throws {
      let loaded = try configurationOptions.load()
      let configuration = loaded.configuration
      // Nil without a store.
      var regions: [String]?
      // The addresses in the tables that apply to stored feeds.
      var feedTables: Set<String> = []
      let stack = try NewsStack.ifThere(storeOptions, for: .reading)
      if let stack {
        let all = try stack.reading { try stack.source.regions() }
        regions = all.map(\.name)
        let byRegion = try stack.reading { try stack.source.schedulesByRegion() }
        let feeds = all.flatMap { byRegion[$0.id] ?? [] }
        _ = try ConfiguredFeeds(feeds, loaded, stack).selection()
        feedTables = Set(feeds.compactMap { configuration.table(ofFeed: $0.url)?.url })
      }
      let what =
        loaded.isThere
        ? "\(counted(configuration.regions.count, "region")), \(counted(configuration.feeds.count, "feed"))"
          + (configuration.queries.isEmpty
            ? ""
            : configuration.queries.count == 1 ? ", 1 query" : ", \(configuration.queries.count) queries")
        : nil
      let queries = configuration.queries.sorted { $0.key < $1.key }.map {
        queryRow($0.key, $0.value, regions)
      }
      let hooks = try configuration.hooks.map { try HookCheck($0, stack, loaded) }
      let rows =
        settingRows(loaded) + tableRows(configuration, regions, feedTables) + queries
        + hooks.map(CheckedRow.init)
      if json {
        for row in [CheckedRow(kind: "file", name: loaded.path, value: what)] + rows {
          writeJSON(row.json)
        }
      } else {
        let text =
          what ?? "\(InputFile.absence(of: loaded.path)?.cause ?? "not read"); the defaults are in force"
        Output.standard.print("configuration  \(printable(loaded.path))  \(text)\n")
        Output.standard.print(aligned: rows.map { ["  \(printable($0.title))", printable($0.text)] })
      }
      // The values in force are printed first: they help to find a missing secret or program.
      try check(loaded, hooks)
    }
  }
}

/// Checks the hooks, and the secrets in all tables, including those for feeds that are not stored yet.
@MainActor
private func check(_ loaded: LoadedConfiguration, _ hooks: [HookCheck]) throws {
  var secrets = loaded.secretReader
  let errors =
    tables(loaded.configuration).flatMap { secrets.errors($0.settings, of: "\($0.kind) \($0.name)") }
    + hooks.compactMap(\.error)
  guard let last = errors.last else { return }
  for error in errors.dropLast() {
    Output.error.warn(printable(loaded.failure(error).message ?? error.cause))
  }
  throw loaded.failure(last)
}

private func tables(
  _ configuration: Configuration
) -> [(kind: String, name: String, settings: FeedSettings)] {
  configuration.regions.sorted { $0.key < $1.key }.map { ("region", $0.key, $0.value) }
    + configuration.feeds.sorted { $0.key < $1.key }.map { ("feed", $0.key, $0.value) }
}

private func settingRows(_ loaded: LoadedConfiguration) -> [CheckedRow] {
  loaded.importValues.map { CheckedRow(kind: "setting", name: $0.key, value: $0.value) }
    + [
      CheckedRow(
        kind: "setting", name: "retention", value: "keeps \(loaded.configuration.retention.keptText)")
    ]
}

/// - Parameters:
///   - regions: The stored regions; nil if the store does not exist yet.
///   - feedTables: The addresses in the tables that apply to stored feeds.
private func tableRows(
  _ configuration: Configuration, _ regions: [String]?, _ feedTables: Set<String>
) -> [CheckedRow] {
  tables(configuration).map { kind, name, settings in
    var parts: [String] = []
    if let interval = settings.interval { parts.append("every \(durationText(interval))") }
    if !settings.retention.isEmpty { parts.append("keeps \(settings.retention.keptText)") }
    for (word, patterns) in [("skips", settings.skip), ("only", settings.only)] {
      guard let patterns, !patterns.isEmpty else { continue }
      parts.append("\(word) \(patterns.map(\.description).joined(separator: " or "))")
    }
    if let names = settings.volatile, !names.isEmpty {
      parts.append("volatile \(names.joined(separator: ", "))")
    }
    if let userAgent = settings.userAgent { parts.append("as \(userAgent)") }
    parts += settings.headers.map { header in
      // A value in the file may be a key, so it is not shown.
      if case .secret(let source) = header.value { return "\(header.name) (from \(source.name))" }
      return header.name
    }
    if let credentials = settings.credentials { parts.append(credentials.summary) }
    if parts.isEmpty, configuration.hooks.contains(where: { $0.name.hasPrefix("\(kind).\(name).on_") }) {
      parts.append("only hooks")
    }
    let isStored = regions.map { kind == "region" ? $0.contains(name) : feedTables.contains(name) }
    return CheckedRow(
      kind: kind, name: name, value: parts.isEmpty ? nil : parts.joined(separator: ", "), isStored: isStored,
      suggestion: isStored == false && kind == "region" ? nearestWord(to: name, among: regions ?? []) : nil)
  }
}

/// - Parameter regions: The stored regions; nil if the store does not exist yet.
private func queryRow(_ name: String, _ query: QuerySettings, _ regions: [String]?) -> CheckedRow {
  var row = CheckedRow(kind: "query", name: name, value: query.summary)
  let named = query.regions
  guard let regions, !named.isEmpty else { return row }
  let missing = named.first { !regions.contains($0) }
  row.isStored = missing == nil
  row.suggestion = missing.flatMap { nearestWord(to: $0, among: regions) }
  row.missing = named.count > 1 ? missing : nil
  return row
}

/// A line that `config check` prints.
private struct CheckedRow {
  /// The line's subject: the file, a setting, a table for a region, feed or query, or a hook.
  let kind: String
  let name: String
  /// The value in force; nil for none.
  let value: String?
  /// True if the store has the table's region or feed, or everything that a query or hook names; nil without
  /// a store, and for other lines.
  var isStored: Bool?
  /// The missing region, if the query names several.
  var missing: String?
  /// The likely name for a region that is not in the store.
  var suggestion: String?

  /// The reason why a hook cannot run; nil if none is found.
  var problem: String?

  var title: String { kind == "setting" ? name : "\(kind) \(name)" }

  var text: String {
    if let problem { return (value ?? "") + "   (\(problem))" }
    let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
    return (value ?? "nothing set")
      + (isStored == false ? "   (\(missing.map { "\($0) is " } ?? "")not in the store\(hint))" : "")
  }

  var json: JSONLine {
    let line: JSONLine = [
      "kind": kind, "name": name, "value": value, "in_store": isStored, "suggestion": suggestion,
    ]
    return kind == "hook" ? line + ["problem": problem] : line
  }
}

extension CheckedRow {
  @MainActor
  fileprivate init(_ check: HookCheck) {
    self.init(
      kind: "hook", name: check.hook.name, value: check.hook.summary, isStored: check.isStored,
      suggestion: check.suggestion, problem: check.problem)
  }
}
