import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput
import TextSearch
import WebAddress

/// Articles that a command was asked for.
struct ChosenArticles {
  var choice: ArticleChoice
  /// Words that they must also have, and that are checked article by article.
  var words: [SearchExpression] = []
  /// True if a query's limit applies, which `--limit` cannot exceed.
  var hasLimitOfQuery = false

  /// Returns the chosen articles among some IDs, with their feeds, in the order in which they were first
  /// imported. Their words are read without the index.
  @MainActor
  func among(
    _ articles: [ManagedObjectID], in source: DataSource
  ) throws(StoreError) -> [(article: StoredRow<Article>, feed: Feed?)] {
    var found = try source.articles(articles, in: choice)
    for words in words {
      let hits = try ArticleSearch.highlights(
        of: words, in: found.map { ArticleSearch.texts(of: $0.article) })
      found = zip(found, hits).filter { $0.1 != nil }.map(\.0)
    }
    return found
  }
}

/// Turns a command's words into a choice of articles.
@MainActor
struct ArticleChooser {
  let stack: NewsStack
  private let configuration: () throws -> LoadedConfiguration

  /// - Parameter configuration: Reads the configuration; called only if a query is named.
  init(_ stack: NewsStack, configuration: @escaping () throws -> LoadedConfiguration) {
    (self.stack, self.configuration) = (stack, configuration)
  }

  /// Returns the articles that a command was asked for. The index is searched for words that are not
  /// frequent.
  ///
  /// - Throws: ``CommandFailure`` with status 66 for an unknown region, query or feed.
  func articles(_ request: ArticleRequest) throws -> ChosenArticles {
    var chosen = try unsearched(request) { try settled($0) }
    guard !chosen.words.isEmpty else { return chosen }
    let library = try SearchLibrary(stack)
    try library.catchUp()
    chosen.words = try chosen.words.filter { words in
      let found = try library.articles(with: words, limit: Self.mostListed + 1)
      guard found.count <= Self.mostListed else { return true }
      chosen.choice.restrict(to: found)
      return false
    }
    return chosen
  }

  /// Returns the articles that a command was asked for, with all words as separate conditions.
  ///
  /// - Parameter settle: Makes a choice from articles with words, for a query that is one of several sources.
  func unsearched(
    _ request: ArticleRequest, settle: (ChosenArticles) throws -> ArticleChoice
  ) throws -> ChosenArticles {
    var chosen = try chosenWithoutQueries(request)
    for name in request.names where name.hasPrefix("@") {
      let query = try articles(ofQuery: String(name.dropFirst()))
      guard request.names.count == 1 else {
        let isWhole = query.words.isEmpty && query.choice.limit == nil
        chosen.choice.sources.append(.choice(isWhole ? query.choice : try settle(query)))
        continue
      }
      // A query that is named alone keeps its words, limit and copies.
      chosen.choice.sources.append(.choice(query.choice))
      chosen.words += query.words
      if query.choice.hasCopies { chosen.choice.hasCopies = true }
      if let limit = query.choice.limit, limit <= chosen.choice.limit ?? limit {
        chosen.choice.limit = limit
        chosen.hasLimitOfQuery = true
      }
    }
    return chosen
  }

  /// Looks up the regions and feeds in a request.
  private func chosenWithoutQueries(_ request: ArticleRequest) throws -> ChosenArticles {
    var chosen = ChosenArticles(choice: request.choice)
    chosen.choice.feeds = try request.feeds.map { try stack.feed(at: $0).url }
    chosen.choice.sources = try request.names.filter { !$0.hasPrefix("@") }
      .map { .region(try stack.region(named: $0).name) }
    // The configuration has checked its queries' words.
    if let match = request.match {
      chosen.words.append(try SearchLibrary.expression(match, option: "--match"))
    }
    return chosen
  }

  // MARK: Queries

  /// Returns a query's articles.
  ///
  /// - Throws: ``CommandFailure`` with status 66 for an unknown query, or for an unknown name in it.
  func articles(ofQuery name: String) throws -> ChosenArticles {
    let loaded = try configuration()
    let queries = loaded.configuration.queries
    guard let query = queries[name] else {
      let names = queries.keys.sorted().map { "@" + $0 }
      let hint =
        names.isEmpty
        ? "a table [query.\(name)] in \(loaded.path) makes one"
        : suggestion(for: "@" + name, among: names) ?? "the queries are \(names.joined(separator: ", "))"
      throw CommandFailure(.noInput, "@\(name): no such query; \(hint)")
    }
    do {
      return try chosenWithoutQueries(query.request)
    } catch let failure as CommandFailure where [.noInput, .usage].contains(failure.status) {
      throw CommandFailure(failure.status, "@\(name): \(failure.message ?? "")")
    }
  }

  // MARK: Words

  /// The count of articles with some words above which they are checked one by one.
  private static let mostListed = 10_000

  /// The count of newest articles that are looked up before all articles with some words are read.
  private static let mostLookedUp = 10_000

  /// Returns a choice of the articles that have the words; if a limit applies, the articles themselves.
  private func settled(_ chosen: ChosenArticles) throws -> ArticleChoice {
    if chosen.choice.limit != nil {
      var choice = ArticleChoice()
      choice.hasCopies = chosen.choice.hasCopies
      choice.articles = []
      try forEach(chosen) { listed in
        choice.articles?.append(listed.id)
        return true
      }
      return choice
    }
    let library = try SearchLibrary(stack)
    try library.catchUp()
    var choice = chosen.choice
    for words in chosen.words {
      choice.restrict(to: try library.articles(with: words, limit: Int(Int32.max)))
    }
    return choice
  }

  /// Returns the articles' condition; if a limit applies, the articles themselves.
  func predicate(of chosen: ChosenArticles) throws -> FetchPredicate<Article> {
    guard !chosen.words.isEmpty || chosen.choice.limit != nil else {
      return try stack.reading { try stack.source.predicate(of: chosen.choice, at: Date()) }
    }
    var ids: [ManagedObjectID] = []
    try forEach(chosen, columns: Article.withoutContent) { listed in
      ids.append(listed.id)
      return true
    }
    return .ids(ids)
  }

  /// Counts the articles without their limit; nil if each article would have to be read.
  func count(_ chosen: ChosenArticles) throws -> Int? {
    try stack.reading {
      guard chosen.words.isEmpty, try stack.source.attachedStores().isEmpty else { return nil }
      let wanted = FetchRequest(
        Article.self, where: try stack.source.predicate(of: chosen.choice, at: Date()))
      let count = try stack.source.context.count(wanted)
      guard !chosen.choice.hasCopies else { return count }
      return count > Self.mostCompared ? nil : count - (try copies(among: wanted))
    }
  }

  /// The article count above which copies of stories are not counted.
  private static let mostCompared = 50_000

  /// Counts the articles that are left out of a list as copies of another article.
  private func copies(among wanted: FetchRequest<Article>) throws(StoreError) -> Int {
    var feeds: [Int64: [ManagedObjectID]] = [:]
    for (story, feed) in try stack.source.context.fetchValues(wanted, \.story, \.feed) {
      if let story { feeds[story, default: []].append(feed) }
    }
    feeds = feeds.filter { $0.value.count > 1 }
    let copies = try stack.source.copies(ofStories: Array(feeds.keys))
    var listed = ListedStories()
    return feeds.reduce(0) { count, story in
      count + story.value.count { !listed.isFirst(copies.copies(of: story.key, in: $0)) }
    }
  }

  /// Visits the articles, newest first; see ``DataSource/forEachArticle(_:at:columns:marks:filter:_:)``.
  func forEach(
    _ chosen: ChosenArticles, columns: AttributeSet = .all, marks: Set<ArticleMark> = [],
    _ body: (ListedArticle) -> Bool
  ) throws {
    let source = stack.source
    let regions = FeedRegions(source)
    func visit(_ visited: DataSource.Visited) -> Bool {
      regions.begin(visited.feeds)
      return body(
        ListedArticle(
          visited.article, number: stack.number(of: visited.article.id), visited.feed,
          in: regions, marks: visited.marks, otherFeeds: source.otherFeeds(visited.copies, than: visited.feed)
        ))
    }
    guard !chosen.words.isEmpty else {
      return try stack.reading {
        try source.forEachArticle(chosen.choice, columns: columns, marks: marks, visit)
        try regions.check()
      }
    }
    let library = try SearchLibrary(stack)
    // The newest articles are looked up in the index, so that those with frequent words are listed at once.
    // If they are not enough, all articles with the words are read once.
    var all: [Set<ManagedObjectID>] = []
    var examined = 0
    try stack.reading {
      try source.forEachArticle(
        chosen.choice, columns: columns, marks: marks,
        filter: { (page) throws(StoreError) in
          var found = page
          if examined < Self.mostLookedUp {
            examined += page.count
            for words in chosen.words { found = try library.articles(with: words, among: found) }
          } else {
            if all.isEmpty {
              for words in chosen.words {
                all.append(Set(try library.foundArticles(with: words, limit: Int(Int32.max))))
              }
            }
            found = found.filter { article in all.allSatisfy { $0.contains(article) } }
          }
          return Set(found)
        }, visit)
      try regions.check()
    }
  }
}
