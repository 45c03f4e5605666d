import Foundation
import ManagedContextTesting
import Synchronization
import TestSupport
import Testing

@testable import ManagedContext

@MainActor
@Suite struct FetchedResultsCacheTests {
  private let store = TestStore(TokenStore())
  private let folder: TemporaryFolder
  private let coordinator: PersistentStoreCoordinator
  private let author: ManagedObjectID

  init() throws {
    folder = try TemporaryFolder()
    coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
    author = try Self.fill(coordinator)
  }

  /// Saves an author with two books.
  private static func fill(_ coordinator: PersistentStoreCoordinator) throws -> ManagedObjectID {
    let context = ManagedObjectContext(parent: coordinator)
    let author = context.insert(Author.self)
    author.name = "Woolf"
    for (title, pages) in [("Orlando", 300), ("Flush", 100)] {
      let book = context.insert(Book.self)
      book.author = author
      book.title = title
      book.pages = pages
    }
    try context.save()
    return author.id
  }

  private func cache(_ coordinator: PersistentStoreCoordinator? = nil) -> FetchedResultsCache {
    FetchedResultsCache(
      folder: URL(fileURLWithPath: folder.file("cache")), coordinator: coordinator ?? self.coordinator)
  }

  /// Fetches in the way that a new run of the program does.
  private func books(
    _ request: FetchRequest<Book> = FetchRequest(Book.self, sortedBy: [.ascending(\.title)]),
    named name: String = "books", over coordinator: PersistentStoreCoordinator? = nil
  ) throws -> FetchedResultsController<Book> {
    let main = MainContext(parent: coordinator ?? self.coordinator)
    let books = FetchedResultsController(
      main, request, sectionedBy: \.pages, cache: cache(coordinator).entry(named: name))
    try books.performFetch()
    return books
  }

  /// Returns the number of queries to the store during `body`.
  private func fetches(_ body: () throws -> Void) rethrows -> Int {
    let before = store.readCount()
    try body()
    return store.readCount() - before
  }

  @Test func `an unchanged store is not queried again`() throws {
    _ = try books()
    var again: FetchedResultsController<Book>?
    #expect(try fetches { again = try books() } == 0)
    #expect(again?.sections.map(\.name) == ["100", "300"])
    var titles: [String]?
    #expect(fetches { titles = again?.fetchedObjects.map(\.title) } == 1)
    #expect(titles == ["Flush", "Orlando"])
  }

  @Test func `cached results follow changes like fetched results`() throws {
    _ = try books()
    let again = try books()
    again.object(at: .init(section: 0, item: 0))?.pages = 400
    try again.processPendingChanges()
    #expect(again.fetchedObjects.map(\.title) == ["Orlando", "Flush"])
  }

  @Test func `a save invalidates the cache`() throws {
    _ = try books()
    let context = ManagedObjectContext(parent: coordinator)
    try context.fetch(FetchRequest(Book.self, where: \.title == "Flush")).forEach(context.delete)
    try context.save()
    var counts: [Int] = []
    #expect(try fetches { counts.append(try books().count) } == 1)
    #expect(try fetches { counts.append(try books().count) } == 0)
    #expect(counts == [1, 1])
  }

  @Test func `a cache of another request is not used, even if it differs in one letter`() throws {
    typealias Request = FetchRequest<Book>
    let requests = [
      Request(Book.self), Request(Book.self, limit: 1), Request(Book.self, offset: 1),
      Request(Book.self, sortedBy: [.descending(\.title)]), Request(Book.self, where: \.title == "Flush"),
      Request(Book.self, where: \.title == "flush"), Request(Book.self, where: \.title != "Flush"),
      Request(Book.self, where: .contains(\.title, "Flush")), Request(Book.self, where: \.author == author),
      Request(Book.self, where: .to(\.author, where: \.name == "Woolf")),
      Request(Book.self, where: .among(\.mark, [1, 2])), Request(Book.self, where: .among(\.mark, [12])),
      Request(Book.self, where: \.title == "ne\u{301}"), Request(Book.self, where: \.title == "n\u{E9}"),
      Request(Book.self, where: .ids([author])), Request(Book.self, where: .constant(false)),
      Request(Book.self, where: !(\.mark == 1) && \.mark < 2 || \.mark > 7),
    ]
    for request in requests { #expect(try fetches { _ = try books(request) } == 1) }
    #expect(try fetches { _ = try books(requests[16]) } == 0)
  }

  @Test func `a cache of a replaced store is not used, even if both histories have the same length`() throws {
    _ = try books()
    let other = PersistentStoreCoordinator(
      model: Library.model, store: TokenStore(date: 60))
    #expect(try books(over: other).count == 0)
  }

  @Test(arguments: 0..<60) func `a damaged cache is ignored`(seed: Int) throws {
    _ = try books()
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("cache")).first)
    let url = URL(fileURLWithPath: folder.file("cache/\(file)"))
    var content = try Data(contentsOf: url)
    var random = SeededGenerator(seed: UInt64(seed))
    if seed.isMultiple(of: 3) {
      content = content.prefix(Int.random(in: 0..<content.count, using: &random))
    } else {
      let place = Int.random(in: 0..<content.count, using: &random)
      content[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    try content.write(to: url)
    var count = 0
    #expect(try fetches { count = try books().count } == 1)
    #expect(count == 2)
  }

  @Test func `deleting one cache keeps the others`() throws {
    _ = try books(named: "a/../b")
    _ = try books(named: "other")
    cache().deleteCache(named: "a/../b")
    cache().deleteCache(named: "never made")
    #expect(try fetches { _ = try books(named: "other") } == 0)
    #expect(try fetches { _ = try books(named: "a/../b") } == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cache"])
  }

  @Test func `unsaved changes are not cached, but are shown`() throws {
    _ = try books()
    let main = MainContext(parent: coordinator)
    try main.context.fetch(FetchRequest(Book.self, where: \.title == "Flush")).forEach(main.context.delete)
    let edited = FetchedResultsController(
      main, FetchRequest(Book.self, sortedBy: [.ascending(\.title)]), sectionedBy: \.pages,
      cache: cache().entry(named: "books"))
    try edited.performFetch()
    #expect(edited.count == 1)
    #expect(try books().count == 2)
  }

  @Test func `without a writable folder, results are not cached`() throws {
    _ = try folder.write("cache", "a file".utf8)
    #expect(try books().count == 2)
    #expect(try books().count == 2)
  }

  @Test func `a store without history is queried each time`() throws {
    let other = PersistentStoreCoordinator(
      model: Library.model, store: InMemoryStore(model: Library.model))
    _ = try Self.fill(other)
    #expect(try books(over: other).count == 2)
    #expect(!FileManager.default.fileExists(atPath: folder.file("cache")))
  }
}

/// A store in memory whose history has only tokens.
private final class TokenStore: PersistentStore {
  let name = "the store with tokens"
  var number: StoreNumber { rows.number }
  private let rows = InMemoryStore(model: Library.model)
  private let transactions = Atomic<Int64>(0)
  /// The time of the newest transaction, in seconds since 1970.
  private let date: Double

  init(date: Double = 0) { self.date = date }

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch { try rows.fetch(query) }

  func count(_ query: StoreQuery) throws(StoreError) -> Int { try rows.count(query) }

  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    transactions.add(1, ordering: .sequentiallyConsistent)
    return rows.write(group)
  }

  func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    HistoryToken(transactions.load(ordering: .sequentiallyConsistent))
  }

  func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    let newest = HistoryToken(transactions.load(ordering: .sequentiallyConsistent))
    return [
      HistoryTransaction(
        token: newest, date: Date(timeIntervalSince1970: date), author: nil, changes: ContextChanges())
    ]
  }
}
