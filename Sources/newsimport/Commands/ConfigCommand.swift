import ArgumentParser
import FeedImport
import Foundation
import NewsModel

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
        Secrets are looked for and not printed. Feeds of the store whose regions disagree are named.
        Exit status: 0 all is well, 66 no such file, 78 a mistake in it.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions

    func run() async throws {
      try await check(self)
    }
  }
}

@MainActor
private func check(_ command: ConfigCommand.Check) async throws {
  let loaded = try command.configurationOptions.load()
  let configuration = loaded.configuration
  try checkSecrets(loaded)
  var stored: Set<String>?
  if let stack = try NewsStack.existing(command.storeOptions, for: .reading) {
    let regions = try stack.reading { try stack.source.regions() }
    let feeds = try stack.reading { try regions.flatMap { try stack.source.feedOutlines(of: $0) } }
    _ = try ConfiguredFeeds(loaded, feeds, stack)
    let named = feeds.compactMap { configuration.table(ofFeed: $0.url)?.url }
    stored = Set(regions.map { "region \($0.name)" } + named.map { "feed \($0)" })
  }
  let what =
    loaded.isThere
    ? "\(counted(configuration.regions.count, "region")), \(counted(configuration.feeds.count, "feed"))"
    : "no such file, the program's own settings are in force"
  Output.standard.tell("configuration  \(printable(loaded.path))  \(what)\n")
  let rows = settingRows(try FetchCommand.parse(["--all"]), loaded) + tableRows(configuration, stored)
  Output.standard.tell(aligned(rows.map { ["  \(printable($0.0))", printable($0.1)] }))
}

/// Secrets of tables whose feeds are not in the store yet are missing all the same.
@MainActor
private func checkSecrets(_ loaded: LoadedConfiguration) throws {
  var secrets = loaded.secretReader
  let mistakes = tables(loaded.configuration).flatMap { secrets.mistakes($0.settings, of: $0.name) }
  guard let last = mistakes.last else { return }
  for mistake in mistakes.dropLast() {
    Output.error.tell("newsimport: \(printable(loaded.failure(mistake).message ?? mistake.cause))\n")
  }
  throw loaded.failure(last)
}

private func tables(_ configuration: Configuration) -> [(name: String, settings: FeedSettings)] {
  configuration.regions.sorted { $0.key < $1.key }.map { ("region \($0.key)", $0.value) }
    + configuration.feeds.sorted { $0.key < $1.key }.map { ("feed \($0.key)", $0.value) }
}

private func settingRows(_ command: FetchCommand, _ loaded: LoadedConfiguration) -> [(String, String)] {
  let options = loaded.importOptions(command)
  return [
    ("user_agent", options.userAgent),
    ("fetch.jobs", "\(options.jobs)"),
    ("fetch.per_host", "\(options.perHost)"),
    ("fetch.timeout", words(options.timeout)),
    ("fetch.connect_timeout", words(options.connectTimeout)),
    ("fetch.max_body", "\(grouped(options.maxBody)) bytes"),
    ("fetch.public_only", "\(options.publicOnly)"),
    ("schedule.floor", words(options.schedule.floor)),
    ("schedule.ceiling", words(options.schedule.ceiling)),
    ("retention", "keeps \(loaded.configuration.retention.keptWords)"),
  ]
}

/// - Parameter stored: The names of all tables that could mean something; nil where there is no store yet.
private func tableRows(_ configuration: Configuration, _ stored: Set<String>?) -> [(String, String)] {
  tables(configuration).map { name, settings in
    var parts: [String] = []
    if let interval = settings.interval { parts.append("every \(words(interval))") }
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
    let isUnknown = stored.map { !$0.contains(name) } ?? false
    return (
      name,
      (parts.isEmpty ? "nothing set" : parts.joined(separator: ", "))
        + (isUnknown ? "   (not in the store)" : "")
    )
  }
}
