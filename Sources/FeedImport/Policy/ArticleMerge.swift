import Foundation
import ManagedContext
import NewsModel
import WebAddress

/// Decides what happens to a feed's articles when the feed is merged with another one.
///
/// It follows the rule for an import from another address ("Article identity" in this module's guide): the
/// same guid means the same article only if the link or the title is also equal.
struct ArticleMerge {
  enum Outcome: Equatable {
    /// The other feed has it; `isSame` if its content is equal.
    case copy(ManagedObjectID, isSame: Bool)
    /// The other feed has it, but with fewer edits. The article replaces that copy and takes over its guid,
    /// so that its versions are kept.
    case edited(ManagedObjectID, guid: String, isSame: Bool)
    /// The other feed has another article with this guid, so the article gets a new guid.
    case other(guid: String)
    /// The other feed does not have it.
    case new
  }

  private var outcomes: [ManagedObjectID: Outcome] = [:]
  /// The article that stays, for each copy in the other feed.
  private var staying: [ManagedObjectID: ManagedObjectID] = [:]

  /// - Parameter articles: The articles in `old`.
  init(
    of articles: [MergedArticle], from old: Feed, into other: Feed, in context: ManagedObjectContext
  ) throws(StoreError) {
    let links = LinkIdentity(
      ofFeedAt: [old.url, other.url, old.movedTo, other.movedTo].compactMap { $0?.text })
    let known = try Self.byGuid(articles.map(\.guid), in: other, context)
    // Articles that arrived while the old feed was redirected to the other one have their own guid there.
    let shared = articles.filter { $0.guid.utf8.starts(with: SharedGuid.prefix.utf8) }
    let sameContent =
      try shared.isEmpty
      ? [:] : Self.byContent(shared.map(\.contentHash), in: other, context)
    var apart: [(id: ManagedObjectID, guid: String)] = []
    for article in articles {
      if let copy = known[Array(article.guid.utf8)] {
        let isSame = copy.contentHash == article.contentHash
        if isSame || article.isSame(as: copy, links) {
          unite(article, with: copy, isSame: isSame)
        } else {
          apart.append((article.id, article.sharedGuid(links)))
        }
      } else if let copy = sameContent[article.contentHash] {
        unite(article, with: copy, isSame: true)
      }
    }
    let taken = try apart.isEmpty ? [:] : Self.byGuid(apart.map(\.guid), in: other, context)
    for (id, guid) in apart {
      outcomes[id] = taken[Array(guid.utf8)].map { .copy($0.id, isSame: true) } ?? .other(guid: guid)
    }
  }

  /// Notes that the other feed has a copy of an article. If several articles share a copy, the first one
  /// decides which article stays.
  private mutating func unite(_ article: MergedArticle, with copy: MergedArticle, isSame: Bool) {
    if let other = staying[copy.id] {
      outcomes[article.id] = .copy(other, isSame: isSame)
    } else if article.edits > copy.edits {
      staying[copy.id] = article.id
      outcomes[article.id] = .edited(copy.id, guid: copy.guid, isSame: isSame)
    } else {
      staying[copy.id] = copy.id
      outcomes[article.id] = .copy(copy.id, isSame: isSame)
    }
  }

  func outcome(of article: ManagedObjectID) -> Outcome { outcomes[article] ?? .new }

  private static func byGuid(
    _ guids: [String], in feed: Feed, _ context: ManagedObjectContext
  ) throws(StoreError) -> [[UInt8]: MergedArticle] {
    let same = FetchPredicate<Article>.among(\.guid, guids) && \.feed == feed.id
    let articles = try MergedArticle.all(FetchRequest(Article.self, where: same), in: context)
    return Dictionary(articles.map { (Array($0.guid.utf8), $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func byContent(
    _ hashes: [Int64], in feed: Feed, _ context: ManagedObjectContext
  ) throws(StoreError) -> [Int64: MergedArticle] {
    let same = FetchPredicate<Article>.among(\.contentHash, hashes) && \.feed == feed.id
    let articles = try MergedArticle.all(FetchRequest(Article.self, where: same), in: context)
    return Dictionary(articles.map { ($0.contentHash, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The values that distinguish articles when two feeds are merged.
struct MergedArticle: Sendable {
  let id: ManagedObjectID
  let guid: String
  let contentHash: Int64
  let edits: Int
  private let url: String?
  private let title: String?
  private let published: Date?

  init(_ article: some EntityValues<Article>) {
    (id, guid, contentHash, edits) = (article.id, article.guid, article.contentHash, article.edits)
    (url, title, published) = (article.url, article.title, article.published)
  }

  /// Reads articles without creating objects.
  static func all(
    _ request: FetchRequest<Article>, in context: ManagedObjectContext
  ) throws(StoreError) -> [MergedArticle] {
    try context.rows(of: request) { [$0.guid, $0.contentHash, $0.url, $0.title, $0.published, $0.edits] }
      .map { MergedArticle($0) }
  }

  /// Returns whether an article with the same guid is this one: the link or the title is equal. If a link is
  /// missing, the date is compared instead.
  func isSame(as other: MergedArticle, _ links: LinkIdentity) -> Bool {
    if let title, let otherTitle = other.title, !title.isEmpty, title.utf8.elementsEqual(otherTitle.utf8) {
      return true
    }
    guard let url, let otherURL = other.url else { return published != nil && published == other.published }
    return Self.key(url, links) == Self.key(otherURL, links)
  }

  func sharedGuid(_ links: LinkIdentity) -> String {
    SharedGuid(
      identity: Self.key(guid, links), link: url.map { Self.key($0, links) } ?? 0,
      title: title.map { ContentHash.of(Array($0.utf8).span) } ?? 0,
      published: published.map { Int64($0.timeIntervalSince1970) }
    ).text
  }

  private static func key(_ link: String, _ links: LinkIdentity) -> UInt64 {
    links.key(Array(link.utf8).span)
  }
}
