import ArgumentParser
import NewsModel
import TextOutput

// A command has only the options that it uses, so that the option parser refuses the others.

/// The options that choose whole feeds.
struct FeedOptions: ParsableArguments {
  @Flag(help: "All articles, also those of feeds that are in no region.") var all = false
  @Option(
    help: ArgumentHelp(
      "Only articles of this feed: its address, or a part of it. May be repeated.", valueName: "feed"))
  var feed: [String] = []

  /// Returns the articles in regions and queries, or only those in the chosen feeds.
  ///
  /// - Throws: `ValidationError` for `--all` beside names.
  func request(of names: [String]) throws -> ArticleRequest {
    guard !all || names.isEmpty else {
      throw ValidationError("Name regions and queries, or give --all, not both.")
    }
    return ArticleRequest(names: names, feeds: feed)
  }
}

/// The conditions on articles that every command has which chooses articles.
struct ConditionOptions: ParsableArguments {
  @OptionGroup var feeds: FeedOptions
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

  /// Returns the articles in regions and queries that meet the conditions; see ``FeedOptions/request(of:)``.
  func request(of names: [String]) throws -> ArticleRequest {
    var request = try feeds.request(of: names)
    request.choice.since = since?.date
    request.choice.importedSince = importedSince?.date
    if unread || read { request.choice.marks[.read] = read }
    request.choice.isEdited = edited
    request.choice.hasAttachment = withAttachment
    return request
  }
}

/// The words that articles must have, unless a command has an argument for them.
struct MatchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only articles with these words, written as for newsimport search.", valueName: "query"))
  var match: String?
}

/// The options for stars and copies, which `archive` leaves alone.
struct StoryOptions: ParsableArguments {
  @Flag(help: "Only starred articles.") var starred = false
  @Flag(help: "Every copy of an article that is in several feeds, instead of the first.") var copies = false

  func add(to request: inout ArticleRequest) {
    if starred { request.choice.marks[.starred] = true }
    request.choice.hasCopies = copies
  }
}

/// The options that choose a list's articles.
struct ArticleOptions: ParsableArguments {
  @OptionGroup var conditions: ConditionOptions
  @Option(help: "Only articles before then, written like --since.", transform: Since.init(argument:))
  var until: Since?
  @OptionGroup var stories: StoryOptions
  @Option(help: "The largest number of articles.", transform: limitOfArticles) var limit: Int?

  func validate() throws { try Since.checkSpan(from: conditions.since, to: until, "--until") }

  /// Returns the articles in regions and queries that meet the conditions; see ``FeedOptions/request(of:)``.
  ///
  /// - Parameter match: The words that they must have; nil for any.
  func request(of names: [String], _ match: MatchOptions? = nil) throws -> ArticleRequest {
    var request = try conditions.request(of: names)
    request.match = match?.match
    request.choice.until = until?.date
    stories.add(to: &request)
    request.choice.limit = limit
    return request
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
