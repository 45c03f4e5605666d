public import Foundation
public import ManagedContext
import WebAddress
import Sequences

/// Marks on articles in attached stores, with these articles' IDs; see ``AttachedMark``.
struct AttachedMarks {
  /// The articles that the user has marked here.
  private var set: [ArticleMark: [ManagedObjectID]] = [:]
  /// The articles that the user has unmarked here.
  private var removed: [ArticleMark: [ManagedObjectID]] = [:]

  mutating func add(_ article: ManagedObjectID, _ state: [ArticleMark: Bool]) {
    for (mark, isSet) in state {
      if isSet { set[mark, default: []].append(article) } else { removed[mark, default: []].append(article) }
    }
  }

  /// Returns a predicate for the articles with a mark, in all stores.
  func articles(with mark: ArticleMark) -> FetchPredicate<Article> {
    var articles = mark.articles
    if let removed = removed[mark] { articles = articles && !.ids(removed) }
    if let set = set[mark] { articles = articles || .ids(set) }
    return articles
  }
}

/// The marks that the user has set (true) or removed (false).
private typealias MarkState = [ArticleMark: Bool]

/// An article's identity in every store.
private struct MarkedArticle: Hashable {
  let feed: WebAddress
  let guid: [UInt8]

  init(_ feed: WebAddress, _ guid: String) { (self.feed, self.guid) = (feed, Array(guid.utf8)) }
}

extension DataSource {
  /// Returns a choice's condition, except for its limit, with the marks on articles in attached stores.
  ///
  /// - Parameter now: The reader's clock, which decides about dates in the future; nil without such dates.
  public func predicate(
    of choice: ArticleChoice, at now: Date?
  ) throws(StoreError) -> FetchPredicate<Article> {
    choice.predicate(at: now, choice.dependsOnMarks ? try attachedMarks() : AttachedMarks())
  }

  /// Returns the marks on articles in the attached stores that are read.
  func attachedMarks() throws(StoreError) -> AttachedMarks {
    var marks = AttachedMarks()
    let states = try markStates(.constant(true))
    guard !states.isEmpty else { return marks }
    let guids = Dictionary(grouping: states.keys, by: \.feed)
    for (feed, url) in try feedsOfAllStores(at: Array(guids.keys)) where !isOwn(feed) {
      let wanted = (guids[url] ?? []).map { String(decoding: $0.guid, as: UTF8.self) }
      let request = FetchRequest(Article.self, where: \.feed == feed && .among(\.guid, wanted))
      for article in try identities(of: request) {
        if let state = states[MarkedArticle(url, article.guid)] { marks.add(article.id, state) }
      }
    }
    return marks
  }

  /// Replaces the marks on articles in attached stores by the marks that the user has set and removed here.
  func applyAttachedMarks(
    to articles: [ManagedObjectID], _ marks: inout [ManagedObjectID: Set<ArticleMark>]
  ) throws(StoreError) {
    let foreign = articles.filter { !isOwn($0) }
    guard !foreign.isEmpty, try context.count(FetchRequest(AttachedMark.self, limit: 1)) > 0 else { return }
    let identities = try identities(of: FetchRequest(Article.self, where: .ids(foreign)))
    let urls = try urls(of: identities)
    let states = try markStates(
      .among(\.feed, Array(Set(urls.values))) && .among(\.guid, identities.map(\.guid)))
    for article in identities {
      guard let url = urls[article.feed], let state = states[MarkedArticle(url, article.guid)] else {
        continue
      }
      var ofArticle = marks[article.id] ?? []
      for (mark, isSet) in state {
        if isSet { ofArticle.insert(mark) } else { ofArticle.remove(mark) }
      }
      marks[article.id] = ofArticle
    }
  }

  /// Sets or removes a mark on articles in attached stores, with the context's next save.
  func setAttached(_ mark: ArticleMark, _ isSet: Bool, of articles: [ManagedObjectID]) throws(StoreError) {
    guard !articles.isEmpty else { return }
    let key = AttachedMark.schema
    let column = mark == .read ? key.isRead.index : key.isStarred.index
    var rows = RowBatch(
      entity: NewsModel.Place.attachedMark, columns: [key.feed.index, key.guid.index, column])
    for page in articles.chunks(of: Self.identityPage) {
      let identities = try identities(of: FetchRequest(Article.self, where: .ids(page)))
      let urls = try urls(of: identities)
      for article in identities {
        guard let url = urls[article.feed] else { continue }
        rows.beginRow()
        rows.append(text: url.text)
        rows.append(text: article.guid)
        rows.append(integer: isSet ? 1 : 0)
      }
    }
    context.insert(BatchUpsert(rows, unique: [key.feed.index, key.guid.index], changeMark: column))
  }

  /// Returns the same articles in other stores: they have the same guid, and their feed has the same address.
  func sameArticles(inOtherStoresAs articles: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID] {
    var same: Set<ManagedObjectID> = []
    for page in articles.chunks(of: Self.identityPage) {
      let identities = try identities(of: FetchRequest(Article.self, where: .ids(page)))
      let urls = try urls(of: identities)
      let places = Dictionary(grouping: try feedsOfAllStores(at: Array(Set(urls.values))), by: \.value)
      let feeds = places.values.filter { $0.count > 1 }.joined()
      guard !feeds.isEmpty else { continue }
      let wanted = Set(
        identities.compactMap { article in urls[article.feed].map { MarkedArticle($0, article.guid) } })
      let ofFeeds = Dictionary(uniqueKeysWithValues: feeds.map { ($0.key, $0.value) })
      let request = FetchRequest(
        Article.self, where: .among(\.feed, Array(ofFeeds.keys)) && .among(\.guid, identities.map(\.guid)))
      for article in try self.identities(of: request) {
        guard let url = ofFeeds[article.feed], wanted.contains(MarkedArticle(url, article.guid)) else {
          continue
        }
        same.insert(article.id)
      }
    }
    return same.subtracting(articles).sorted { $0.key < $1.key }
  }

  private static let identityPage = 5000

  private func markStates(
    _ condition: FetchPredicate<AttachedMark>
  ) throws(StoreError) -> [MarkedArticle: MarkState] {
    var states: [MarkedArticle: MarkState] = [:]
    // An attached store may have such rows for its own attached stores.
    for mark in try context.rows(of: FetchRequest(AttachedMark.self, where: condition)) where isOwn(mark.id) {
      var state: MarkState = [:]
      state[.read] = mark.isRead
      state[.starred] = mark.isStarred
      states[MarkedArticle(mark.feed, mark.guid)] = state
    }
    return states
  }

  private typealias Identity = (id: ManagedObjectID, feed: ManagedObjectID, guid: String)

  private func identities(of request: FetchRequest<Article>) throws(StoreError) -> [Identity] {
    try context.rows(of: request) { [$0.feed, $0.guid] }.map { ($0.id, $0.feed, $0.guid) }
  }

  private func urls(of articles: [Identity]) throws(StoreError) -> [ManagedObjectID: WebAddress] {
    try urls(of: FetchRequest(Feed.self, where: .ids(Array(Set(articles.map(\.feed))))))
  }

  private func feedsOfAllStores(at urls: [WebAddress]) throws(StoreError) -> [ManagedObjectID: WebAddress] {
    try self.urls(of: FetchRequest(Feed.self, where: .among(\.url, urls)))
  }

  private func urls(of request: FetchRequest<Feed>) throws(StoreError) -> [ManagedObjectID: WebAddress] {
    let urls = try context.rows(of: request) { [$0.url] }.map { ($0.id, $0.url) }
    return Dictionary(urls, uniquingKeysWith: { $1 })
  }
}
