public import Foundation
public import ManagedContext
public import WebAddress

/// A choice of articles: the conditions that each article meets.
///
/// An article comes from one of the ``sources``, if there are any, and meets all other conditions. Every
/// command that works on articles takes the same choice.
public struct ArticleChoice: Sendable, Equatable {
  /// A set of articles.
  public enum Source: Sendable, Equatable {
    /// The articles in a region's feeds, by the region's name.
    case region(String)
    /// The articles of another choice.
    case choice(ArticleChoice)
  }

  /// The sets that the articles come from: an article is in at least one; empty for all articles.
  public var sources: [Source] = []
  /// The addresses of the articles' feeds; empty for all.
  public var feeds: [WebAddress] = []
  /// The earliest ``Article/listDate(at:)``; nil for no limit.
  public var since: Date?
  /// The moment after the latest ``Article/listDate(at:)``; nil for no limit.
  public var until: Date?
  /// The earliest import date, whatever the publisher's date; nil for no limit.
  public var importedSince: Date?
  /// The required states of marks; a mark that is missing here may have either.
  public var marks: [ArticleMark: Bool] = [:]
  /// True for articles with ``Article/edits`` only.
  public var isEdited = false
  /// True for articles with ``Article/attachments`` only.
  public var hasAttachment = false
  /// The articles themselves, such as those that a search has found; nil for all.
  public var articles: [ManagedObjectID]?
  /// True to choose every copy of a story; false for each story's first copy in list order.
  public var hasCopies = false
  /// The most articles; nil for all.
  public var limit: Int?

  /// All articles.
  public init() {}

  /// A region's articles.
  public init(region: String) {
    sources = [.region(region)]
  }

  /// Keeps only the chosen articles that are among some IDs.
  public mutating func restrict(to ids: [ManagedObjectID]) {
    articles = articles.map { Array(Set($0).intersection(ids)) } ?? ids
  }

  /// A condition on the articles' feeds; nil for all.
  public var ofFeeds: FetchPredicate<Feed>? {
    var parts: [FetchPredicate<Feed>] = []
    if !feeds.isEmpty { parts.append(.among(\.url, feeds)) }
    let ofSources = sources.map { source in
      switch source {
      case .region(let name): Self.feeds(ofRegionsNamed: [name])
      case .choice(let choice): choice.ofFeeds ?? .constant(true)
      }
    }
    if let first = ofSources.first { parts.append(ofSources.dropFirst().reduce(first) { $0 || $1 }) }
    return parts.reduce(nil) { all, part in all.map { $0 && part } ?? part }
  }

  /// True if nothing but whole feeds and ``since`` and ``until`` is chosen.
  public var isOfFeedsAndDates: Bool {
    var other = self
    (other.since, other.until, other.limit, other.hasCopies) = (nil, nil, nil, false)
    return other.isOfWholeFeeds
  }

  /// True if nothing is chosen but whole regions and whole feeds.
  public var isOfWholeFeeds: Bool {
    var other = self
    (other.sources, other.feeds) = ([], [])
    return other == ArticleChoice()
      && sources.allSatisfy { if case .choice(let choice) = $0 { choice.isOfWholeFeeds } else { true } }
  }

  var dependsOnMarks: Bool {
    !marks.isEmpty
      || sources.contains { if case .choice(let choice) = $0 { choice.dependsOnMarks } else { false } }
  }

  /// True if ``until`` is a condition, also of a source.
  var hasEnd: Bool {
    until != nil || sources.contains { if case .choice(let choice) = $0 { choice.hasEnd } else { false } }
  }

  /// Returns the condition, except for ``limit``; see ``DataSource/predicate(of:at:)``.
  ///
  /// - Parameter attached: The marks on articles in attached stores.
  func predicate(at now: Date?, _ attached: AttachedMarks) -> FetchPredicate<Article> {
    var parts: [FetchPredicate<Article>] = []
    if let source = source(at: now, attached) { parts.append(source) }
    if !feeds.isEmpty { parts.append(.to(\.feed, Feed.self, where: .among(\.url, feeds))) }
    if let dates = Article.isListed(since: since, before: until, at: now) { parts.append(dates) }
    if let importedSince { parts.append(Article.wasImported(since: importedSince)) }
    for (mark, isSet) in marks {
      let marked = attached.articles(with: mark)
      parts.append(isSet ? marked : !marked)
    }
    if isEdited { parts.append(\.edits > 0) }
    if hasAttachment { parts.append(\.attachments != nil) }
    if let articles { parts.append(.ids(articles)) }
    return parts.reduce(nil) { all, part in all.map { $0 && part } ?? part } ?? .constant(true)
  }

  /// The articles in any source; nil without sources.
  private func source(at now: Date?, _ attached: AttachedMarks) -> FetchPredicate<Article>? {
    var regions: [String] = []
    var parts: [FetchPredicate<Article>] = []
    for source in sources {
      switch source {
      case .region(let name): regions.append(name)
      case .choice(let choice): parts.append(choice.predicate(at: now, attached))
      }
    }
    if !regions.isEmpty { parts.append(.to(\.feed, Feed.self, where: Self.feeds(ofRegionsNamed: regions))) }
    return parts.reduce(nil) { all, part in all.map { $0 || part } ?? part }
  }

  /// Returns a predicate for the feeds in regions with these names.
  static func feeds(ofRegionsNamed names: [String]) -> FetchPredicate<Feed> {
    .to(some: \.regions, where: Region.isNamed(names))
  }
}
