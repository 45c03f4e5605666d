package import ManagedContext
package import NewsModel
import WebAddress

/// Feed addresses, titles and regions as records have them, each read and converted once.
///
/// It belongs to its context's queue.
package final class FeedRegions {
  private let source: DataSource
  private var names: [ManagedObjectID: RawJSON] = [:]
  /// The feeds of the current page. If the regions of one are needed, those of all are read.
  private var page: [Feed] = []
  /// The count of reads for a page.
  private var readCount = 0
  /// True if all feeds' regions were read.
  private var hasAll = false
  private var failure: StoreError?
  private var texts: [ManagedObjectID: Texts] = [:]
  /// The feed before; often, the next article is from the same feed.
  private var last: (feed: ManagedObjectID, names: RawJSON)?
  private var lastTexts: (feed: ManagedObjectID, texts: Texts)?

  private struct Texts {
    let address: String
    let title: String?
  }

  /// The most reads for a page. For more pages, one query for all feeds is faster.
  private static let mostPages = 20
  /// The most feeds with texts in memory.
  private static let mostTexts = 10_000

  package init(_ source: DataSource) { self.source = source }

  /// Begins a page of articles from these feeds.
  package func begin(_ page: [Feed]) { self.page = page }

  /// Returns the ordered region names; an empty list if they cannot be read, see ``check()``.
  package func names(of feed: Feed?) -> RawJSON {
    guard let feed else { return Self.none }
    if let last, last.feed == feed.id { return last.names }
    let value = names[feed.id] ?? read(feed.id)
    last = (feed.id, value)
    return value
  }

  /// Returns the address without its password.
  package func address(of feed: Feed?) -> String? { feed.map { texts(of: $0).address } }

  /// Returns the title that lists show.
  package func title(of feed: Feed?) -> String? { feed.flatMap { texts(of: $0).title } }

  private func texts(of feed: Feed) -> Texts {
    if let lastTexts, lastTexts.feed == feed.id { return lastTexts.texts }
    let value = texts[feed.id] ?? Texts(address: feed.url.withoutPassword, title: feed.shownTitle)
    if texts.count >= Self.mostTexts { texts = [:] }
    texts[feed.id] = value
    lastTexts = (feed.id, value)
    return value
  }

  /// Throws the error that made regions missing in the returned values.
  package func check() throws(StoreError) {
    if let failure { throw failure }
  }

  private static let none = RawJSON("[]")

  private func read(_ feed: ManagedObjectID) -> RawJSON {
    guard !hasAll, failure == nil else { return Self.none }
    do throws(StoreError) {
      let isOfPage = readCount < Self.mostPages
      readCount += 1
      let wanted = Set(page.map(\.id) + [feed]).filter { names[$0] == nil }
      let read = try source.regionNames(of: isOfPage ? Array(wanted) : nil)
      names.merge(read.mapValues { RawJSON($0.recordText) }) { $1 }
      if isOfPage { for id in wanted where names[id] == nil { names[id] = Self.none } }
      hasAll = !isOfPage
      return names[feed] ?? Self.none
    } catch {
      failure = error
      return Self.none
    }
  }
}
