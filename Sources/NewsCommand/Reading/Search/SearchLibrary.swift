import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput

/// A store for reading, and the index of its articles.
@MainActor
struct SearchLibrary {
  let index: SearchIndex
  private let stack: NewsStack

  /// - Throws: ``CommandFailure``, with status 66 if the store does not exist.
  init(_ options: StoreOptions) throws {
    stack = try NewsStack.needed(options, for: .reading)
    do throws(StoreError) {
      index = try SearchIndex(of: stack.store, ArticleSearch.source)
    } catch .readOnly(let path) {
      throw Self.cannotWrite(path)
    } catch {
      throw CommandFailure(error, store: stack.path)
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

  /// Returns the keys of a region's feeds.
  ///
  /// - Throws: ``CommandFailure`` with status 66 if the region does not exist.
  func feeds(ofRegion name: String) throws -> [Int64] {
    let region = try stack.region(named: name)
    return try stack.reading { try stack.source.feedIDs(of: region).map(\.key) }
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
  func forEachArticle(_ request: SearchRequest, _ body: (ListedArticle) -> Bool) throws {
    let keys: [Int64]
    do throws(StoreError) {
      keys = try index.search(request)
    } catch .request(let cause) {
      throw CommandFailure(.usage, "search: \(printable(cause)); see newsimport search --help")
    } catch {
      throw CommandFailure(error, store: index.path)
    }
    for page in keys.chunks(of: Self.page) {
      for listed in try articles(page, request.expression) {
        guard body(listed) else { return }
      }
    }
  }

  private func articles(_ keys: [Int64], _ expression: SearchExpression) throws -> [ListedArticle] {
    try stack.reading {
      let found = try stack.source.articles(numbered: keys)
      let articles = keys.compactMap { key in found.first { $0.id.key == key } }
      let feeds = try stack.source.feeds(of: articles)
      let marks = try stack.source.marks(of: articles.map(\.id))
      let hits = try SearchIndex.highlights(
        of: expression, in: articles.map(ArticleSearch.texts), columns: ArticleSearch.columns.map(\.name))
      return zip(articles, hits).map { article, hits in
        ListedArticle(
          article, number: article.id.key, feeds[article.feed], marks: marks[article.id] ?? [], hits: hits)
      }
    }
  }

  private static let page = 100
}
