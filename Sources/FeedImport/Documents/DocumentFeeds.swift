import ManagedContext
import NewsModel
import WebAddress

/// The feeds that documents belong to. Missing ones are created, those of many documents in one save.
///
/// One thread uses it.
final class DocumentFeeds {
  private let context: BackgroundContext
  private let root: RootContext
  private let plan: DocumentImport.Plan
  private var known: [WebAddress: FeedRequest] = [:]

  init(_ plan: DocumentImport.Plan, root: RootContext) {
    self.plan = plan
    self.root = root
    context = BackgroundContext(parent: root, name: "feeds", mergePolicy: .storeTrumps)
  }

  /// Returns the feeds with some addresses, by address, as requests with the user's settings.
  func requests(at urls: [WebAddress]) throws(DocumentImport.Failure) -> [WebAddress: FeedRequest] {
    let missing = urls.filter { known[$0] == nil }
    if !missing.isEmpty {
      do throws(StoreError) {
        let found = try plan.isDryRun ? read(missing) : create([(plan.region, missing)])
        known.merge(found) { $1 }
      } catch {
        throw .store(error)
      }
      try applySettings(to: missing)
    }
    return known
  }

  /// Feeds by the region that they are added to; without a name, to none.
  typealias Lists = [(region: String?, urls: [WebAddress])]

  /// Adds feeds to regions, which are created if necessary, in one save. Missing feeds are created.
  ///
  /// - Parameter titles: The user's titles for feeds that have none, by address.
  func add(_ lists: Lists, _ titles: [WebAddress: String]) throws(DocumentImport.Failure) {
    guard !plan.isDryRun, !lists.isEmpty else { return }
    do throws(StoreError) {
      // Their requests are read with the settings of all their regions.
      _ = try create(lists, titles)
    } catch {
      throw .store(error)
    }
  }

  /// Creates missing feeds. Another process that creates the same ones at the same time causes a conflict; then they exist.
  private func create(
    _ lists: Lists, _ titles: [WebAddress: String] = [:]
  ) throws(StoreError) -> [WebAddress: FeedRequest] {
    for attempt in 1... {
      let (ids, ticket) = try context.performAndWait { (context) throws(StoreError) in
        var ids: [WebAddress: ManagedObjectID] = [:]
        for list in lists {
          let feeds = try DataSource(context).feeds(ofDocumentsAt: list.urls, inRegionNamed: list.region)
          ids.merge(feeds.mapValues(\.id)) { $1 }
          if titles.isEmpty { continue }
          for (url, feed) in feeds where feed.ownTitle == nil {
            if let title = titles[url] { feed.ownTitle = title }
          }
        }
        return (ids, try context.push(after: nil))
      }
      do throws(StoreError) {
        if let ticket {
          root.flush()
          let saved = try ticket.wait().get().changes.permanentIDs
          return try requests(ids.mapValues { saved[$0] ?? $0 })
        }
        return try requests(ids)
      } catch {
        try context.performAndWait { (context) throws(StoreError) in context.reset() }
        guard attempt < StoreError.mostAttempts, error.isOvertaken else { throw error }
      }
    }
    return [:]
  }

  private func requests(_ ids: [WebAddress: ManagedObjectID]) throws(StoreError) -> [WebAddress: FeedRequest]
  {
    let found = try context.performAndWait { (context) throws(StoreError) in
      context.reset()
      return try FeedRequest.all(FetchRequest(Feed.self, where: .ids(Array(Set(ids.values)))), in: context)
    }
    let byID = Dictionary(found.map { ($0.feed, $0) }) { $1 }
    return ids.compactMapValues { byID[$0] }
  }

  /// Returns the feeds that exist, and stand-ins for the others.
  private func read(_ urls: [WebAddress]) throws(StoreError) -> [WebAddress: FeedRequest] {
    let ids = try context.performAndWait { (context) throws(StoreError) in
      // Nothing is pushed.
      defer { context.reset() }
      return try DataSource(context).feeds(ofDocumentsAt: urls, inRegionNamed: nil)
        .filter { !$0.value.isInserted }.mapValues(\.id)
    }
    var found = try requests(ids)
    for url in urls where found[url] == nil {
      found[url] = FeedRequest(newFeedAt: url, model: context.model)
    }
    return found
  }

  private func applySettings(to urls: [WebAddress]) throws(DocumentImport.Failure) {
    guard let settings = plan.settings else { return }
    for url in urls {
      guard let request = known[url] else { continue }
      let names: [String]
      do throws(StoreError) {
        names = try context.performAndWait { (context) throws(StoreError) in
          defer { context.reset() }
          let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids([request.feed])))
          return try feeds.first.map { (feed) throws(StoreError) in
            try DataSource(context).regions(of: feed).map(\.name)
          } ?? []
        }
      } catch {
        throw .store(error)
      }
      let own = try settings(request.address, names + (plan.region.map { [$0] } ?? []))
      known[url]?.filter = own.filter
      known[url]?.volatile = own.volatile
    }
  }
}
