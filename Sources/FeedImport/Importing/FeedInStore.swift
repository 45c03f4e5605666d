import ManagedContext
import NewsModel
import WebAddress

/// A worker's questions to the store about one feed while its response arrives.
struct FeedInStore {
  let request: FeedRequest
  let store: StoreContents
  /// The worker's context, which is used on its thread.
  let context: BackgroundContext

  /// Returns the feed's article identities and hashes from one query, only in part for a feed with many
  /// articles. Further queries read its deleted articles and former addresses, if the store has any.
  func known() throws(StoreError) -> KnownArticles {
    let (store, feed) = (store, request.feed)
    return try context.performNow { (context) throws(StoreError) in
      var known =
        store.hasArticles ? try KnownArticles(of: feed, in: context) : KnownArticles()
      if store.hasTombstones {
        known.deleted = DeletedArticles(try DeletedArticles.rows(of: feed, in: context))
      }
      if store.hasFormerAddresses {
        known.formerAddresses = try context.fetchValues(
          FetchRequest(FormerAddress.self, where: \.feed == feed), \.url
        ).map(\.text)
      }
      return known
    }
  }

  /// Returns the identities and hashes that a question asks for.
  func answer(_ question: KnownArticles.Question) throws(StoreError) -> RowBatch {
    let feed = request.feed
    return try context.performNow { (context) throws(StoreError) in
      try KnownArticles.answer(question, about: feed, in: context)
    }
  }

  func articles(_ keys: [Int64]) throws(StoreError) -> StoredArticles {
    try context.performNow { (context) throws(StoreError) in try StoredArticles(keys, in: context) }
  }

  /// Returns articles' versions, by article key.
  func versions(_ keys: [Int64]) throws(StoreError) -> EarlierVersions {
    try context.performNow { (context) throws(StoreError) in
      try EarlierVersions(of: keys.compactMap { context.id(Article.self, row: $0) }, in: context)
    }
  }

  /// Returns whether the last answers were all whole documents without news.
  ///
  /// - Parameter count: The number of answers.
  func hasWastedValidators(after count: Int) throws(StoreError) -> Bool {
    let (feed, slots) = (request.feed, request.lastSlots(count))
    guard slots.count == count else { return false }
    return try context.performNow { (context) throws(StoreError) in
      let log = FetchRequest(FetchRecord.self, where: \.feed == feed && .among(\.slot, slots))
      return try context.fetch(log).count {
        ($0.status == 200 || $0.status == 203) && $0.outcome == .unchanged
      } == slots.count
    }
  }
}
