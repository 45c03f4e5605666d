public import FeedImport
public import Foundation
public import ManagedContext
public import ManagedContextTesting
public import NewsModel
internal import PostgreSQLStore
internal import SQLiteStore
import WebAddress

/// A news store for one test, with everything that a fetch needs: in a file, or with `NEWSIMPORT_TEST_STORE=postgresql` in a schema
/// of its own on the server for tests.
public final class NewsStore: Sendable {
  public let folder: TemporaryFolder
  public let root: RootContext
  public let store: any PersistentStore

  /// The store's clock.
  public let clock = TestClock()

  /// The store on a server; nil for another kind.
  public let server: TestSchema?

  public init(_ kind: StoreKind = TestServer.replacesFiles ? .postgresql : .sqlite) throws {
    folder = try TemporaryFolder()
    let now: @Sendable () -> Date = { [clock] in clock.now }
    switch kind {
    case .sqlite:
      server = nil
      var options = SQLiteStoreOptions()
      options.now = now
      store = try SQLiteStore(
        path: folder.file("news.db"), model: NewsModel.model,
        identity: StoreIdentity(
          applicationID: NewsModel.applicationID, views: NewsModel.views(.sqlite),
          computedColumns: NewsModel.computedColumns),
        options: options)
    case .postgresql:
      let server = try TestSchema()
      self.server = server
      var options = PostgreSQLStoreOptions()
      options.now = now
      store = try PostgreSQLStore(
        server.address, model: NewsModel.model, application: NewsModel.applicationID,
        views: NewsModel.views(.postgresql), options: options)
    case .memory:
      server = nil
      store = InMemoryStore(model: NewsModel.model)
    }
    root = RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: store))
  }

  /// The path of a store in a file.
  public var path: String { folder.file("news.db") }

  /// Runs a query of a user.
  public func table(_ sql: String) throws(StoreError) -> (columns: [String], rows: [[AttributeValue]]) {
    var table: (columns: [String], rows: [[AttributeValue]]) = ([], [])
    let visit = { (row: [AttributeValue]) in
      table.rows.append(row)
      return true
    }
    if let store = store as? SQLiteStore {
      try store.query(sql, begin: { table.columns = $0 }, visit: visit)
    } else if let store = store as? PostgreSQLStore {
      try store.query(sql, begin: { table.columns = $0 }, visit: visit)
    }
    return table
  }

  /// What ``StatisticsReader`` asks.
  public var statistics: StatisticsQuery {
    StatisticsQuery(store is PostgreSQLStore ? .postgresql : .sqlite) { (text, visit) throws(StoreError) in
      for row in try self.table(text).rows where !visit(row) { return }
    }
  }

  /// Runs `body` in a new context, and saves its changes.
  @discardableResult
  public func perform<Value: Sendable>(
    _ body: @Sendable (DataSource) throws(StoreError) -> Value
  ) async throws -> Value {
    let context = BackgroundContext(parent: root, name: "test")
    let value = try await context.perform { (context) throws(StoreError) in try body(DataSource(context)) }
    try await context.save()
    return value
  }

  /// Adds feeds to the region `world`.
  public func add(_ urls: [String]) async throws {
    try await perform { (source) throws(StoreError) in
      _ = try source.add(urls.map { WebAddress($0) }, toRegionNamed: "world")
    }
  }

  /// Fetches the region `world`.
  public func fetch(_ change: (inout ImportOptions) -> Void = { _ in }) async throws {
    var options = ImportOptions.patient
    change(&options)
    try await FeedImporter(root: root, options: options).run(try await requests())
  }

  /// Imports the region `world` with a main context of its own.
  @MainActor
  public func importNews(
    _ selection: ImportSelection = ImportSelection(), _ change: (inout ImportOptions) -> Void = { _ in },
    began: (ImportActivity) -> Void = { _ in }
  ) async throws -> ImportReport {
    var options = ImportOptions.patient
    change(&options)
    let main = MainContext(parent: root)
    let region = try DataSource(main.context).region(named: "world")?.id
    let importer = FeedImporter(root: root, options: options)
    began(importer.activity)
    return try await importer.importNews(for: region.map { [$0] } ?? [], in: main, selection: selection)
  }

  /// Returns the results of an import, in the order of its feeds; nil for a feed without a result.
  public func results(of report: ImportReport) async throws -> [StoredRow<FetchRecord>?] {
    try await perform { (source) throws(StoreError) in
      try report.feeds.all.map { (feed) throws(StoreError) in
        guard let record = report.polled.record(of: feed) else { return nil }
        return try source.context.rows(of: FetchRequest(FetchRecord.self, where: .ids([record]))).first
      }
    }
  }

  /// Returns the requests that the importer would send now.
  public func requests() async throws -> [FeedRequest] {
    try await perform { (source) throws(StoreError) in
      guard let region = try source.region(named: "world") else { return [FeedRequest]() }
      let feeds = try source.feedIDs(of: region)
      return try FeedRequest.all(FetchRequest(Feed.self, where: .ids(feeds)), in: source.context)
    }
  }

  /// Returns the IDs of the feeds of `world`.
  public func feedIDs() async throws -> [ManagedObjectID] {
    try await requests().map(\.feed)
  }

  /// Creates a new context.
  public func context(_ policy: MergePolicy = .objectTrumps) -> BackgroundContext {
    BackgroundContext(parent: root, name: "own", mergePolicy: policy)
  }

  /// Creates a deletion of articles, for which no hook waits.
  public func deletion(sparing waiting: any WaitingArticles = NothingWaits()) -> ArticleDeletion {
    ArticleDeletion(in: root, name: "deletion", sparing: waiting)
  }

  /// Returns a copy of each feed of `world`.
  public func feeds() async throws -> [StoredFeed] {
    try await perform { (source) throws(StoreError) in
      guard let region = try source.region(named: "world") else { return [StoredFeed]() }
      return try source.feeds(of: region).map(StoredFeed.init)
    }
  }

  /// Returns a copy of each article, in the order of the store.
  public func articles() async throws -> [ArticleState] {
    try await perform { (source) throws(StoreError) in
      try source.context.fetch(FetchRequest(Article.self)).map(ArticleState.init)
    }
  }
}

/// The values of a feed, outside its context.
public struct StoredFeed: Sendable, Equatable {
  public let url: String
  public let title: String?
  public let homePage: String?
  public let etag: String?
  public let lastModified: String?
  public let bodyHash: Int64?
  public let outcome: FetchOutcome?
  public let error: String?
  public let failures: Int
  public let fetches: Int
  public let movedTo: String?
  public let notBefore: Date?
  public let isGone: Bool
  public let inserted: Int
  public let edited: Int
  public let nextFetch: Date?
  public let nextReason: String?

  init(_ feed: Feed) {
    nextFetch = feed.nextFetch
    nextReason = feed.nextReason?.description
    url = feed.url.text
    title = feed.title
    homePage = feed.homePage
    etag = feed.etag.map { String(decoding: $0, as: UTF8.self) }
    lastModified = feed.lastModified.map { String(decoding: $0, as: UTF8.self) }
    bodyHash = feed.bodyHash
    outcome = feed.lastOutcome
    error = feed.lastFailure?.description
    failures = feed.failures
    fetches = feed.fetches
    movedTo = feed.movedTo?.text
    notBefore = feed.notBefore
    isGone = feed.isGone410
    inserted = feed.lastInserted
    edited = feed.lastEdited
  }
}

/// The values of an article, outside its context.
public struct ArticleState: Sendable, Equatable {
  public let guid: String
  public let title: String?
  public let url: String?
  public let authors: String?
  public let tags: String?
  public let published: Date?
  public let summary: String?
  public let contentHTML: String?
  public let attachments: String?
  public let edits: Int

  init(_ article: Article) {
    guid = article.guid
    title = article.title
    url = article.url
    authors = article.authors
    tags = article.tags
    published = article.published
    summary = article.summary
    contentHTML = article.contentHTML
    attachments = article.attachments
    edits = article.edits
  }
}

extension ImportOptions {
  /// Options with which an answer that a test holds back does not time out, also on a busy machine, and without chance.
  public static var patient: ImportOptions {
    var options = ImportOptions(userAgent: "newsimport-test")
    (options.timeout, options.silenceTimeout) = (3600, 3600)
    options.random = { 0.5 }
    options.waiting = NothingWaits()
    return options
  }
}

/// A store without hooks.
public struct NothingWaits: WaitingArticles {
  public init() {}

  public func events(of articles: [ManagedObjectID]) -> [WaitingEvent] { [] }
}
