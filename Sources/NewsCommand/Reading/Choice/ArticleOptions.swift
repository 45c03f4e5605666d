import ArgumentParser
import NewsModel
import TextOutput

/// The options that choose articles. They mean the same in every command.
struct ArticleOptions: ParsableArguments {
  @Flag(help: "All articles, also those of feeds that are in no region.") var all = false
  @Option(
    help: ArgumentHelp(
      "Only articles of this feed: its address, or a part of it. May be repeated.", valueName: "feed"))
  var feed: [String] = []
  @Option(help: "Only articles since then, such as \(Since.examples).", transform: Since.init(argument:))
  var since: Since?
  @Option(help: "Only articles before then, written like --since.", transform: Since.init(argument:))
  var until: Since?
  @Option(
    help: ArgumentHelp(
      "Only articles that the store has since then, whatever their publishers' dates.", valueName: "since"),
    transform: Since.init(argument:))
  var importedSince: Since?
  @Flag(help: "Only articles that are not marked as read.") var unread = false
  @Flag(help: "Only articles that are marked as read.") var read = false
  @Flag(help: "Only starred articles.") var starred = false
  @Flag(help: "Only articles that their publishers have edited.") var edited = false
  @Flag(help: "Only articles with files.") var withAttachment = false
  @Option(
    help: ArgumentHelp(
      "Only articles with these words, written as for newsimport search.", valueName: "query"))
  var match: String?
  @Flag(help: "Every copy of an article that is in several feeds, instead of the first.") var copies = false
  @Option(help: "The largest number of articles.", transform: limitOfArticles) var limit: Int?

  mutating func validate() throws {
    try Since.checkSpan(from: since, to: until, "--until")
    guard !unread || !read else { throw ValidationError("Give --unread or --read, not both.") }
  }

  /// The conditions by the names of their options, as far as they are given.
  var given: [String] {
    [
      ("--all", all), ("--feed", !feed.isEmpty), ("--since", since != nil), ("--until", until != nil),
      ("--imported-since", importedSince != nil), ("--unread", unread), ("--read", read),
      ("--starred", starred), ("--edited", edited), ("--with-attachment", withAttachment),
      ("--match", match != nil), ("--copies", copies), ("--limit", limit != nil),
    ].filter(\.1).map(\.0)
  }

  /// The conditions in words, for the heading of a document; without the feeds.
  var inWords: [String] {
    let flags = [
      ("unread", unread), ("read", read), ("starred", starred), ("edited", edited),
      ("with files", withAttachment), ("every copy", copies),
    ]
    let dates = [("since", since), ("before", until), ("imported since", importedSince)]
    return flags.filter(\.1).map(\.0) + (match.map { ["with \($0)"] } ?? [])
      + dates.compactMap { word, time in
        time.map { "\(word) \(localMinute($0.date)) \(localZone(at: $0.date))" }
      }
  }

  /// Rejects `--all` beside names of regions or queries.
  func checkSources(_ names: [String]) throws {
    guard !all || names.isEmpty else {
      throw ValidationError("Name regions and queries, or give --all, not both.")
    }
  }

  /// Returns advice for a choice without articles.
  func hint(for names: [String]) -> String {
    let words = names.map(shellWord).joined(separator: " ")
    if since != nil || importedSince != nil {
      return "Try an earlier \(since != nil ? "--since" : "--imported-since")"
    }
    let conditions = given.filter { !["--all", "--copies", "--limit"].contains($0) }
    guard conditions.isEmpty, !names.contains(where: { $0.hasPrefix("@") }) else {
      return "Next: newsimport list \(words)".trimmedEnd
    }
    return "Next: newsimport fetch \(names.isEmpty ? "--all" : words)"
  }

  /// Rejects options that a command cannot take.
  ///
  /// - Parameter reason: The end of the message.
  func refuse(_ names: Set<String>, _ reason: String) throws {
    guard let name = given.first(where: names.contains) else { return }
    throw ValidationError("\(name) cannot be given here: \(reason)")
  }

  /// The conditions that need neither the store nor the configuration.
  var conditions: ArticleChoice {
    var choice = ArticleChoice()
    choice.since = since?.date
    choice.until = until?.date
    choice.importedSince = importedSince?.date
    if unread || read { choice.marks[.read] = read }
    if starred { choice.marks[.starred] = true }
    choice.isEdited = edited
    choice.hasAttachment = withAttachment
    choice.hasCopies = copies
    choice.limit = limit
    return choice
  }
}

/// The places that articles come from, as the first words of a command.
struct ArticleSources: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Regions, or queries of the configuration (@NAME); all articles by default.", valueName: "region|@query"
    ),
    completion: .regions)
  var names: [String] = []

  /// The title of a document of the articles.
  var title: String { names.isEmpty ? "all articles" : names.joined(separator: ", ") }
}

extension NewsStack {
  /// Opens the store for reading articles.
  ///
  /// - Throws: ``CommandFailure`` with status 66 if the store does not exist.
  static func existing(_ options: StoreOptions, for names: [String]) throws -> NewsStack {
    guard let region = names.first(where: { !$0.hasPrefix("@") }) else {
      return try needed(options, for: .reading)
    }
    return try existing(options, forRegion: region, for: .reading)
  }
}
