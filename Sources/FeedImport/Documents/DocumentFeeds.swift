import DocumentReading
import ManagedContext
import NewsModel
import WebAddress

/// The feeds that documents belong to. Missing feeds are created, for many documents in one save.
///
/// One thread uses it.
final class DocumentFeeds {
  private let context: BackgroundContext
  private let run: DocumentImport
  private let plan: DocumentImport.Plan
  private var known: [WebAddress: FeedRequest] = [:]

  init(_ run: DocumentImport) {
    (self.run, plan) = (run, run.plan)
    context = BackgroundContext(parent: run.root, name: "feeds", mergePolicy: .storeTrumps)
  }

  // MARK: Requests

  /// Returns the feeds at some addresses, by address, as requests with the user's settings.
  func requests(at urls: [WebAddress]) throws(ImportFailure) -> [WebAddress: FeedRequest] {
    let missing = urls.filter { known[$0] == nil }
    if !missing.isEmpty {
      let found = try ImportFailure.ofStore { () throws(StoreError) in
        try plan.isDryRun ? read(missing) : create([(plan.region, missing)])
      }
      known.merge(found) { $1 }
      try applySettings(to: missing)
    }
    return known
  }

  /// Returns the feeds for converted articles, by address, after adding them to the articles' regions.
  func requests(of group: [ConvertedFeed]) throws(ImportFailure) -> [WebAddress: FeedRequest] {
    if let feed = plan.feed { return try requests(at: [feed]) }
    var lists: Lists = []
    var titles: [WebAddress: String] = [:]
    for feed in group {
      if let title = feed.ownTitle { titles[feed.address] = title }
      // All feeds get the plan's region when they are created below.
      let regions = plan.region == nil ? feed.regions : []
      for region in regions.isEmpty && feed.ownTitle != nil ? [nil] : regions.map(Optional.some) {
        let place = lists.firstIndex { $0.region == region } ?? lists.count
        if place == lists.count { lists.append((region, [])) }
        lists[place].urls.append(feed.address)
      }
    }
    if !plan.isDryRun, !lists.isEmpty {
      // Their requests are read with the settings of all their regions.
      _ = try ImportFailure.ofStore { () throws(StoreError) in try create(lists, titles) }
    }
    return try requests(at: group.map(\.address))
  }

  /// Feeds by the region to add them to; nil for no region.
  private typealias Lists = [(region: String?, urls: [WebAddress])]

  /// Creates missing feeds and regions, and adds the feeds to the regions. If another process creates the
  /// same ones at the same time, the save conflicts; then they exist.
  ///
  /// - Parameter titles: The user's titles for feeds without one, by address.
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
          run.root.flush()
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

  /// Returns the existing feeds, and stand-ins for missing ones.
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

  private func applySettings(to urls: [WebAddress]) throws(ImportFailure) {
    guard let settings = plan.settings else { return }
    for url in urls {
      guard let request = known[url] else { continue }
      let names = try ImportFailure.ofStore { () throws(StoreError) in
        try context.performAndWait { (context) throws(StoreError) in
          defer { context.reset() }
          let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids([request.feed])))
          return try feeds.first.map { (feed) throws(StoreError) in
            try DataSource(context).regions(of: feed).map(\.name)
          } ?? []
        }
      }
      let own = try settings(request.address, names + (plan.region.map { [$0] } ?? []))
      known[url]?.filter = own.filter
      known[url]?.volatile = own.volatile
    }
  }

  // MARK: Documents

  /// Returns the documents that were imported before, by address, with their feeds.
  func known(among group: [InputDocument]) throws(ImportFailure) -> [String: WebAddress?] {
    if plan.readsAgain { return [:] }
    return try ImportFailure.ofStore { () throws(StoreError) in
      try KnownDocuments.find(among: group, plan.feed, in: context)
    }
  }

  /// Notes that a document's articles were all imported.
  func note(_ document: InputDocument) throws(ImportFailure) {
    let feed = try plan.feed.flatMap { (url) throws(ImportFailure) in try requests(at: [url])[url]?.feed }
    let now = run.options.now()
    try ImportFailure.ofStore { () throws(StoreError) in
      let ticket = try context.performAndWait { (context) throws(StoreError) in
        try KnownDocuments.note(document, of: feed, at: now, in: context)
      }
      run.root.flush()
      _ = try ticket?.wait().get()
    }
  }

  /// Returns the greatest article key in the store; 0 without articles.
  func lastArticle() throws(ImportFailure) -> Int64 {
    let newest = StoreQuery(
      entity: NewsModel.Place.article, sort: [StoreSort(attribute: nil, isAscending: false)], limit: 1,
      columns: [])
    return try ImportFailure.ofStore { () throws(StoreError) in
      try run.root.writtenStore?.fetch(newest).keys.first ?? 0
    }
  }
}
