import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput

/// A store for reading, and the index of its articles.
@MainActor
struct SearchLibrary {
  let index: SearchIndex
  let stack: NewsStack
  private let regions: FeedRegions

  /// - Throws: ``CommandFailure``, with status 66 if the store does not exist.
  init(_ options: StoreOptions) throws {
    try self.init(try NewsStack.needed(options, for: .reading))
  }

  /// The index of a store that is open.
  init(_ stack: NewsStack) throws {
    self.stack = stack
    regions = FeedRegions(stack.source)
    do throws(StoreError) {
      index = try SearchIndex(of: stack.store, ArticleSearch.source)
    } catch .readOnly(let path) {
      throw Self.cannotWrite(path)
    } catch {
      throw CommandFailure(error, store: stack.path)
    }
  }

  /// Words that cannot be searched for.
  struct InvalidWords: Error {
    let cause: String
  }

  /// Reads the words of a search, as the user writes them.
  nonisolated static func expression(_ words: String) throws(InvalidWords) -> SearchExpression {
    do throws(SearchExpression.Mistake) {
      return try SearchExpression(words, columns: ArticleSearch.names)
    } catch {
      throw InvalidWords(
        cause: error.cause + (error.hasNoText ? "" : "; put text with such signs into \"quotation marks\""))
    }
  }

  /// Reads the words of an option.
  ///
  /// - Throws: ``CommandFailure`` with status 64.
  static func expression(_ words: String, option: String) throws -> SearchExpression {
    do throws(InvalidWords) {
      return try expression(words)
    } catch {
      throw CommandFailure(.usage, "\(option): \(error.cause); see newsimport search --help")
    }
  }

  /// Returns the keys of the articles with some words, in any order.
  func keys(of expression: SearchExpression, limit: Int) throws -> [Int64] {
    do throws(StoreError) {
      return try index.keys(of: expression, limit: limit)
    } catch .request(let cause) {
      throw CommandFailure(.usage, "\(printable(cause)); see newsimport search --help")
    } catch {
      throw CommandFailure(error, store: index.path)
    }
  }

  static func cannotWrite(_ path: String) -> CommandFailure {
    CommandFailure(
      .cannotCreate,
      "\(printable(path)): the search index cannot be written; run newsimport store index as a user who "
        + "may write into the store's folder")
  }

  /// True if the store has articles.
  var hasArticles: Bool {
    get throws { try stack.reading { try stack.source.hasArticles() } }
  }

  /// Updates the index, or reports that this is not possible.
  func catchUp() throws {
    let status = StatusLine()
    defer { status.clear() }
    let start = ContinuousClock.now
    var shown = start
    try stack.reading {
      if index.isReadOnly, try index.isBehind() {
        Output.error.warn(
          "the index is older than the store and cannot be updated; newer articles are not found"
        )
      }
      try index.catchUp { done, total in
        // Shown if the work takes more than a second, at most ten times a second.
        let now = ContinuousClock.now
        guard now - start > .seconds(1), now - shown > .milliseconds(100) else { return }
        shown = now
        let part = total > 0 ? done * 100 / total : 100
        status.show("indexing for search  \(part) %  of \(grouped(total)) articles")
      }
    }
  }

  /// Visits the articles that were found, the best first. At most one page of articles is in memory.
  ///
  /// - Parameter chosen: The conditions on the articles, in addition to the words that are searched.
  func forEachArticle(
    _ request: SearchRequest, among chosen: ChosenArticles, _ body: (ListedArticle) -> Bool
  ) throws {
    var (request, left) = (request, request.limit)
    let choice = chosen.choice
    request.since = choice.since?.timeIntervalSince1970
    request.until = choice.until?.timeIntervalSince1970
    if let feeds = choice.ofFeeds {
      request.groups = try stack.reading {
        try stack.source.context.fetchIDs(FetchRequest(Feed.self, where: feeds)).map(\.key)
      }
    }
    // Conditions that the index does not know are checked in the store, best hits first.
    let isSimple = choice.isOfFeedsAndDates && chosen.words.isEmpty
    if !isSimple || !choice.hasCopies { request.limit = request.candidates }
    let keys: [Int64]
    do throws(StoreError) {
      keys = try index.search(request)
    } catch .request(let cause) {
      throw CommandFailure(.usage, "search: \(printable(cause)); see newsimport search --help")
    } catch {
      throw CommandFailure(error, store: index.path)
    }
    var stories = choice.hasCopies ? nil : ListedStories()
    for page in keys.chunks(of: max(1, min(Self.page, left))) {
      let wanted = isSimple ? page : try filtered(page, by: chosen)
      for listed in try articles(wanted, request.expression, &stories) {
        guard left > 0, body(listed) else { return }
        left -= 1
      }
      guard left > 0 else { return }
    }
  }

  /// Returns the keys of the articles that meet the conditions, in their order.
  private func filtered(_ keys: [Int64], by chosen: ChosenArticles) throws -> [Int64] {
    try stack.reading {
      let ids = FetchPredicate<Article>.ids(keys.compactMap(stack.source.articleID))
      let wanted = FetchRequest(Article.self, where: chosen.choice.predicate(at: Date()) && ids)
      var found = try stack.source.context.fetchIDs(wanted).map(\.key)
      for words in chosen.words { found = try index.keys(of: words, among: found) }
      let set = Set(found)
      return keys.filter(set.contains)
    }
  }

  /// Returns the existing articles with these keys; with `stories`, only the first of each story.
  private func articles(
    _ keys: [Int64], _ expression: SearchExpression, _ stories: inout ListedStories?
  ) throws -> [ListedArticle] {
    try stack.reading {
      let found = try stack.source.articles(numbered: keys)
      let copies = try stack.source.copies(ofStories: found.compactMap(\.story))
      let articles = keys.compactMap { key in found.first { $0.id.key == key } }
        .filter { stories?.isFirst($0.story, copies) ?? true }
      let feeds = try stack.source.feeds(of: articles)
      let marks = try stack.source.marks(of: articles.map(\.id))
      let hits = try SearchIndex.highlights(
        of: expression, in: articles.map(ArticleSearch.texts), columns: ArticleSearch.columns.map(\.name))
      return zip(articles, hits).map { article, hits in
        let feed = feeds[article.feed]
        return ListedArticle(
          article, number: article.id.key, feed, in: regions, marks: marks[article.id] ?? [],
          otherFeeds: stack.source.otherFeeds(article.story.flatMap { copies[$0] } ?? [], than: feed),
          hits: hits)
      }
    }
  }

  private static let page = 100
}
