import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import TextSearch

/// The stores that are read, and each store's index.
@MainActor
struct SearchLibrary {
  /// The main store's index.
  let index: any WordIndex
  let stack: NewsStack
  private let regions: FeedRegions
  /// All indexes, first the main store's index.
  private let indexes: [any WordIndex]

  /// The main store and the attached ones.
  ///
  /// - Throws: ``CommandFailure``, with status 66 if the store does not exist.
  init(_ options: StoreOptions) throws {
    let stack = try NewsStack.needed(options, for: .reading)
    try stack.readAttachedStores()
    try self.init(stack)
  }

  /// The open stores. An attached store whose index cannot be read or made is reported and not searched.
  init(_ stack: NewsStack) throws {
    self.stack = stack
    regions = FeedRegions(stack.source)
    do throws(StoreError) {
      index = try stack.store.wordIndex(ArticleSearch.source)
    } catch .readOnly(let name) {
      throw stack.location.cannotWrite(index: name)
    } catch {
      throw CommandFailure(error, store: stack.location)
    }
    indexes = [index] + stack.attached.compactMap { Self.index(of: $0, besideStore: stack.store.name) }
  }

  /// Returns an attached store's index, in the main store's folder: the attached store's folder is not ours.
  private static func index(of attached: OpenAttachment, besideStore store: String) -> (any WordIndex)? {
    let path = AttachedFile.index(ofStoreNamed: attached.name, besideStore: store)
    do {
      try AttachedFile.createFolder(besideStore: store)
      return try attached.wordIndex(at: path)
    } catch {
      let cause =
        (error as? CommandFailure)?.message ?? "\(printable(path)): the search index cannot be written"
      Output.error.warn("attached store \(printable(attached.name)): \(cause); its articles are not searched")
      return nil
    }
  }

  /// Reads an option's words.
  ///
  /// - Throws: ``CommandFailure`` with status 64.
  static func expression(_ words: String, option: String) throws -> SearchExpression {
    do throws(ArticleSearch.InvalidWords) {
      return try ArticleSearch.expression(words)
    } catch {
      throw CommandFailure(.usage, "\(option): \(error.cause); see newsimport search --help")
    }
  }

  /// Returns the articles with some words, in any order.
  func articles(with words: SearchExpression, limit: Int) throws -> [ManagedObjectID] {
    do throws(StoreError) {
      return try foundArticles(with: words, limit: limit)
    } catch .request(let cause) {
      throw CommandFailure(.usage, "\(printable(cause)); see newsimport search --help")
    } catch {
      throw CommandFailure(error, store: StoreLocation(index.name))
    }
  }

  /// Returns the articles with some words, in any order.
  func foundArticles(with words: SearchExpression, limit: Int) throws(StoreError) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    for index in indexes where found.count < limit {
      found += try index.keys(of: words, limit: limit - found.count).map { Self.id(of: $0, in: index) }
    }
    return found
  }

  /// Returns which of some articles have some words.
  func articles(
    with words: SearchExpression, among articles: [ManagedObjectID]
  ) throws(StoreError) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    for index in indexes {
      let keys = articles.filter { $0.store == index.storeNumber }.map(\.key)
      guard !keys.isEmpty else { continue }
      found += try index.keys(of: words, among: keys).map { Self.id(of: $0, in: index) }
    }
    return found
  }

  private static func id(of key: Int64, in index: any WordIndex) -> ManagedObjectID {
    ManagedObjectID(entity: NewsModel.Place.article, store: index.storeNumber, key: key)
  }

  /// The indexes' names, and their sizes in bytes.
  func sizes() throws -> [(name: String, bytes: Int)] {
    try indexes.map { index in (index.name, try stack.reading { try index.byteCount() }) }
  }

  /// True if the store has articles.
  var hasArticles: Bool {
    get throws { try stack.reading { try stack.source.hasArticles() } }
  }

  /// Updates the indexes, or reports that this is not possible.
  func catchUp() throws {
    let status = StatusLine()
    defer { status.clear() }
    let start = ContinuousClock.now
    var shown = start
    for index in indexes {
      func report(done: Int, total: Int) {
        // Shown if the work takes more than a second, at most ten times a second.
        let now = ContinuousClock.now
        guard now - start > .seconds(1), now - shown > .milliseconds(100) else { return }
        shown = now
        let part = total > 0 ? done * 100 / total : 100
        status.show("indexing for search  \(part) %  of \(grouped(total)) articles")
      }
      guard try !stack.reading({ try index.catchUp(report) }) else { continue }
      Output.error.warn(
        """
        the index is older than the store and cannot be updated; newer articles are not found until a user who may write \
        it runs newsimport store index
        """
      )
    }
  }

  /// Visits the articles that were found, the best first. At most one page of articles is in memory.
  ///
  /// - Parameter chosen: The conditions on the articles, in addition to the words that are searched.
  func forEachArticle(
    _ request: SearchRequest, among chosen: ChosenArticles, marks: Set<ArticleMark>,
    _ body: (ListedArticle) -> Bool
  ) throws {
    var (request, left) = (request, request.limit)
    let choice = chosen.choice
    request.since = choice.since?.timeIntervalSince1970
    request.until = choice.until?.timeIntervalSince1970
    let feeds = try choice.ofFeeds.map { feeds in
      try stack.reading { try stack.source.context.fetchIDs(FetchRequest(Feed.self, where: feeds)) }
    }
    // Conditions that the index does not know are checked in the store, best hits first.
    let isSimple = choice.isOfFeedsAndDates && chosen.words.isEmpty
    if !isSimple || !choice.hasCopies || indexes.count > 1 { request.limit = request.candidates }
    var hits: [(article: ManagedObjectID, hit: SearchHit)] = []
    do throws(StoreError) {
      for index in indexes {
        // In ten attached stores, ranking as many articles as in the main one would take half a second.
        if index.storeNumber != self.index.storeNumber, isSimple {
          request.candidates = max(left, Self.attachedCandidates)
        }
        request.groups = feeds?.filter { $0.store == index.storeNumber }.map(\.key)
        hits += try index.search(request).map { (Self.id(of: $0.key, in: index), $0) }
      }
    } catch .request(let cause) {
      throw CommandFailure(.usage, "search: \(printable(cause)); see newsimport search --help")
    } catch {
      throw CommandFailure(error, store: StoreLocation(index.name))
    }
    if indexes.count > 1 { hits.sort { $0.hit.precedes($1.hit) } }
    var stories = ListedStories()
    // Copies are dropped, so pages grow.
    var (rest, size) = (hits.map(\.article)[...], max(1, min(Self.page, left)))
    while !rest.isEmpty {
      let page = Array(rest.prefix(size))
      rest.removeFirst(page.count)
      size = min(2 * size, Self.page)
      let wanted = isSimple ? page : try filtered(page, by: chosen)
      for listed in try articles(wanted, request.expression, marks, hasCopies: choice.hasCopies, &stories) {
        guard left > 0, body(listed) else { return try checkRegions() }
        left -= 1
      }
      guard left > 0 else { break }
    }
    try checkRegions()
  }

  private func checkRegions() throws { try stack.reading { try regions.check() } }

  /// Returns the articles that meet the conditions, in their order.
  private func filtered(
    _ articles: [ManagedObjectID], by chosen: ChosenArticles
  ) throws -> [ManagedObjectID] {
    try stack.reading {
      let ids = FetchPredicate<Article>.ids(articles)
      let chosenArticles = try stack.source.predicate(of: chosen.choice, at: Date())
      let wanted = FetchRequest(Article.self, where: chosenArticles && ids)
      var found = try stack.source.context.fetchIDs(wanted)
      for words in chosen.words { found = try self.articles(with: words, among: found) }
      let set = Set(found)
      return articles.filter(set.contains)
    }
  }

  /// Returns the existing articles among some IDs; without `hasCopies`, only each story's first article.
  private func articles(
    _ ids: [ManagedObjectID], _ expression: SearchExpression, _ marks: Set<ArticleMark>, hasCopies: Bool,
    _ stories: inout ListedStories
  ) throws -> [ListedArticle] {
    try stack.reading {
      let found = try stack.source.articles(ids)
      let copies = try stories.copies(of: found.compactMap(\.story), in: stack.source)
      let articles = found.filter {
        hasCopies || stories.isFirst(copies.copies(of: $0.story, in: $0.feed))
      }
      let feeds = try stack.source.feeds(of: articles)
      regions.begin(Array(feeds.values))
      let marks = try stack.source.marks(of: articles.map(\.id), marks)
      let hits = try ArticleSearch.highlights(
        of: expression, in: articles.map { ArticleSearch.texts(of: $0) })
      return zip(articles, hits).map { article, hits in
        let feed = feeds[article.feed]
        return ListedArticle(
          article, number: stack.number(of: article.id), feed, in: regions,
          marks: marks[article.id] ?? [],
          otherFeeds: stack.source.otherFeeds(
            copies.copies(of: article.story, in: article.feed), than: feed),
          hits: hits)
      }
    }
  }

  private static let page = 100
  /// The most articles that are ranked in an attached store, if no more are wanted.
  private static let attachedCandidates = 1000
}
