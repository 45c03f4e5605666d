import FeedImport
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

/// The saves of an import that follow its articles.
@Suite struct DocumentSavesTests {
  /// Returns a store that is full as soon as it is to write rows of a table.
  private func full(_ store: any PersistentStore, refusing table: EntityIndex) -> TestStore {
    let full = TestStore(store)
    full.refuse { call in
      let entities =
        (call.changes?.batches ?? [])
        .compactMap { if case .upsert(let batch) = $0 { batch.rows.entity } else { nil } }
        + (call.changes?.updates ?? []).map(\.id.entity)
      return entities.contains(table) ? .full("test") : nil
    }
    return full
  }

  /// A store that counts its bulk loads.
  private final class LoadedStore: PersistentStore {
    let name = "the loaded store"
    var number: StoreNumber { store.number }
    let loads = Locked<(begun: Int, ended: Int)>((0, 0))
    private let store = InMemoryStore(model: NewsModel.model)

    func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch { try store.fetch(query) }
    func count(_ query: StoreQuery) throws(StoreError) -> Int { try store.count(query) }
    func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] { store.write(group) }
    func beginBulkLoad() { loads.withLock { $0.begun += 1 } }
    func endBulkLoad() { loads.withLock { $0.ended += 1 } }
  }

  @Test(arguments: [(1, 1), (0, 0)])
  func `a first import of few files is a bulk load if they have many bytes`(
    bytesMore: Int, loads: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let text = Self.lines
    _ = try folder.write("a.jsonl", text.utf8)
    let file = try folder.write("b.jsonl", (text + String(repeating: " ", count: bytesMore)).utf8)
    let store = LoadedStore()
    for _ in 1...2 {
      let (results, failure) = try await run(
        .init(arguments: [folder.path, file]), store, leastBulkBytes: text.utf8.count * 3 + 2)
      #expect(failure == nil && results.count { !$0.isOngoing } == 3)
    }
    // The second import finds articles.
    #expect(store.loads.withLock { $0 } == (loads, loads))
  }

  private static let lines = """
    {"guid":"g","feed":"https://a.example/feed","title":"A","read":true}

    """

  @Test func `the articles so far of a document of many lines are reported`() async throws {
    let folder = try TemporaryFolder()
    let file = try Self.manyLines(in: folder)
    let (results, failure) = try await run(.init(arguments: [file]), InMemoryStore(model: NewsModel.model))
    #expect(failure == nil && results.count > 2 && results.last?.inserted == Self.manyCount)
    #expect(
      results.dropLast().allSatisfy { $0.isOngoing && $0.name == file } && results.last?.isOngoing == false)
    #expect(zip(results, results.dropFirst()).allSatisfy { $0.inserted <= $1.inserted })
  }

  @Test func `a document of many lines is imported in part if the import is stopped`() async throws {
    let folder = try TemporaryFolder()
    let file = try Self.manyLines(in: folder)
    let store = InMemoryStore(model: NewsModel.model)
    let (results, failure) = try await run(.init(arguments: [file]), store, stopsEarly: true)
    let last = try #require(results.last)
    #expect(failure == nil && last.isPartial && last.causes.isEmpty && !last.isOngoing)
    #expect(last.inserted > 0 && last.inserted < Self.manyCount)
    let again = try await run(.init(arguments: [file]), store)
    #expect(again.results.last?.isPartial == false)
    #expect((again.results.last?.inserted ?? 0) + last.inserted == Self.manyCount)
  }

  private static let manyCount = 9000

  /// Writes the lines of many articles.
  private static func manyLines(in folder: TemporaryFolder) throws -> String {
    let title = String(repeating: "word ", count: 200)
    let lines = (0..<manyCount).map { "{\"guid\":\"\($0)\",\"feed\":\"file:x\",\"title\":\"\(title)\"}" }
    return try folder.write("l.jsonl", lines.joined(separator: "\n").utf8)
  }

  @Test func `the articles so far of a feed that is saved in parts are reported`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("feed.xml", TestFeed.rss(count: 2000).utf8)
    let (results, failure) = try await run(
      .init(arguments: [file]), InMemoryStore(model: NewsModel.model), atomicBytes: 20_000)
    #expect(
      failure == nil && results.last?.inserted == 2000 && results.last?.isOngoing == false,
      "\(results) \(String(describing: failure))")
    #expect(results.count > 2 && results.dropLast().allSatisfy { $0.isOngoing && $0.inserted <= 2000 })
  }

  private func run(
    _ plan: DocumentImport.Plan, _ store: any PersistentStore, atomicBytes: Int? = nil,
    stopsEarly: Bool = false, leastBulkBytes: Int? = nil
  ) async throws -> (results: [DocumentImport.Result], failure: ImportFailure?) {
    let results = Locked<[DocumentImport.Result]>([])
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: store))
    var options = ImportOptions(userAgent: "test")
    if let atomicBytes { options.atomicBytes = atomicBytes }
    if let leastBulkBytes { (options.loadsInBulk, options.leastBulkBytes) = (true, leastBulkBytes) }
    let running = Locked<DocumentImport?>(nil)
    let documents = DocumentImport(plan, root: root, options: options) { result in
      results.withLock { $0.append(result) }
      if stopsEarly, result.isOngoing { running.withLock { $0?.stop() } }
    }
    running.withLock { $0 = documents }
    defer { running.withLock { $0 = nil } }
    do throws(ImportFailure) {
      try await documents.run()
    } catch {
      return (results.withLock { $0 }, error)
    }
    return (results.withLock { $0 }, nil)
  }

  private func isFull(_ failure: ImportFailure?) -> Bool {
    if case .store(.full) = failure { true } else { false }
  }

  @Test(arguments: [NewsModel.Place.readMark, NewsModel.Place.importedDocument])
  func `a list is read again if the last of its saves failed`(table: EntityIndex) async throws {
    let store = try NewsStore()
    let file = try store.folder.write("x.jsonl", Self.lines.utf8)
    let plan = DocumentImport.Plan(arguments: [file])
    let first = try await run(plan, full(store.store, refusing: table))
    #expect(isFull(first.failure), "\(first)")
    let second = try await run(plan, store.store)
    #expect(second.failure == nil && second.results.last?.isKnown == false, "\(second)")
    let third = try await run(plan, store.store)
    #expect(third.results.map(\.isKnown) == [true], "\(third)")
    let marks = try await store.perform { (source) throws(StoreError) in
      try source.context.count(FetchRequest(ReadMark.self))
    }
    #expect(marks == 1)
  }

  @Test func `marks of another program that cannot be saved end the import`() async throws {
    let store = try NewsStore()
    var plan = DocumentImport.Plan(arguments: [])
    plan.converted = { visit in
      var feed = ConvertedFeed(name: "a", address: WebAddress("https://a.example/feed"))
      var article = ConvertedFeed.Article()
      (article.id, article.title, article.marks) = ("1", "One", [.read])
      feed.add(article)
      _ = visit(feed)
      return []
    }
    let first = try await run(plan, full(store.store, refusing: NewsModel.Place.readMark))
    #expect(isFull(first.failure) && first.results.isEmpty, "\(first)")
    let again = try await run(plan, store.store)
    #expect(again.failure == nil && again.results.map(\.inserted) == [0], "\(again)")
  }
}
