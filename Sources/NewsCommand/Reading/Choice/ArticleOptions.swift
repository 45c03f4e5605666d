import ArgumentParser
import NewsConfiguration
import NewsModel
import TextOutput

// A command has only the options that it uses, so that the option parser refuses the others. No group is in another one,
// because the parser of a debug build examines a group's options four times for each level.

/// A group of options that sets conditions on articles.
protocol ConditionGroup: ParsableArguments {
  func add(to request: inout ArticleRequest)
}

/// The options that choose whole feeds.
struct FeedOptions: ParsableArguments {
  @Flag(help: "All articles, also those of feeds that are in no region.") var all = false
  @Option(
    help: ArgumentHelp(
      "Only articles of this feed: its address, or a part of it. May be repeated.", valueName: "feed"),
    completion: .feeds)
  var feed: [String] = []

  /// Returns the articles in regions and queries, or only those in the chosen feeds, that meet all conditions.
  ///
  /// - Throws: `ValidationError` for `--all` beside names, and for an end before the beginning.
  func request(of names: [String], _ groups: any ConditionGroup...) throws -> ArticleRequest {
    guard !all || names.isEmpty else {
      throw ValidationError("Name regions and queries, or give --all, not both.")
    }
    var request = ArticleRequest(names: names, feeds: feed)
    for group in groups { group.add(to: &request) }
    try Since.checkSpan(from: request.choice.since, to: request.choice.until, "--until")
    return request
  }
}

/// The conditions on articles that every command has which chooses articles.
struct ConditionOptions: ConditionGroup {
  @Option(help: "Only articles since then, such as \(Since.examples).", transform: Since.init(argument:))
  var since: Since?
  @Option(
    help: ArgumentHelp(
      "Only articles that the store has since then, whatever their publishers' dates.", valueName: "since"),
    transform: Since.init(argument:))
  var importedSince: Since?
  @Flag(help: "Only articles that are not marked as read.") var unread = false
  @Flag(help: "Only articles that are marked as read.") var read = false
  @Flag(help: "Only articles that their publishers have edited.") var edited = false
  @Flag(help: "Only articles with files.") var withAttachment = false

  func validate() throws {
    guard !unread || !read else { throw ValidationError("Give --unread or --read, not both.") }
  }

  func add(to request: inout ArticleRequest) {
    request.choice.since = since?.date
    request.choice.importedSince = importedSince?.date
    if unread || read { request.choice.marks[.read] = read }
    request.choice.isEdited = edited
    request.choice.hasAttachment = withAttachment
  }
}

/// The words that articles must have, unless a command has an argument for them.
struct MatchOptions: ConditionGroup {
  @Option(
    help: ArgumentHelp(
      "Only articles with these words, written as for newsimport search.", valueName: "query"))
  var match: String?

  func add(to request: inout ArticleRequest) { request.match = match }
}

/// The options for stars and copies, which `archive` leaves alone.
struct StoryOptions: ConditionGroup {
  @Flag(help: "Only starred articles.") var starred = false
  @Flag(help: "Every copy of an article that is in several feeds, instead of the first.") var copies = false

  func add(to request: inout ArticleRequest) {
    if starred { request.choice.marks[.starred] = true }
    request.choice.hasCopies = copies
  }
}

/// The options that bound a list.
struct BoundOptions: ConditionGroup {
  @Option(help: "Only articles before then, written like --since.", transform: Since.init(argument:))
  var until: Since?
  @Option(
    parsing: .unconditional, help: "The largest number of articles.", transform: limitOfArticles)
  var limit: Int?

  func add(to request: inout ArticleRequest) {
    (request.choice.until, request.choice.limit) = (until?.date, limit)
  }
}

/// The places that articles come from, as a command's first words.
struct ArticleSources: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Regions, or queries of the configuration (@NAME); all articles by default.", valueName: "region|@query"
    ),
    completion: .regions)
  var names: [String] = []

  /// The title for a document with the articles.
  var title: String { names.isEmpty ? "all articles" : names.joined(separator: ", ") }
}
