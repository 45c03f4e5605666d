import Dispatch
import ManagedContextTesting
import TestSupport
import Testing

@testable import ManagedContext

@MainActor
@Suite struct FetchedResultsControllerTests {
  private typealias Books = FetchedResultsController<Book>

  private let store = TestStore(InMemoryStore(model: Library.model))
  private let coordinator: PersistentStoreCoordinator
  private let main: MainContext
  private let author: ManagedObjectID

  init() throws {
    coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
    let context = ManagedObjectContext(parent: coordinator)
    context.insert(Author.self).name = "Woolf"
    author = try #require(try context.save().inserted.first)
    main = MainContext(parent: coordinator)
    main.mergeInterval = 3600
  }

  /// Changes books in another context.
  @discardableResult
  private func elsewhere(_ body: (ManagedObjectContext) throws -> Void) throws -> ContextChanges {
    let context = ManagedObjectContext(parent: coordinator)
    try body(context)
    return try context.save()
  }

  private func addBooks(_ books: [(title: String, mark: Int)]) throws {
    try elsewhere { context in
      for (title, mark) in books { add(title, mark, to: context) }
    }
  }

  @discardableResult
  private func add(_ title: String, _ mark: Int = 0, to context: ManagedObjectContext) -> Book {
    let book = context.insert(Book.self)
    book.author = context.object(Author.self, with: author)
    book.title = title
    book.mark = mark
    return book
  }

  private func find(_ title: String, in context: ManagedObjectContext) throws -> Book {
    try #require(try context.fetch(FetchRequest(Book.self, where: \.title == title)).first)
  }

  private var byTitle: FetchRequest<Book> { FetchRequest(Book.self, sortedBy: [.ascending(\.title)]) }

  /// Returns a controller after its fetch, with the changes that it reports.
  private func watched(_ books: Books) throws -> ChangeRecorder {
    let recorder = ChangeRecorder()
    books.didChange = { recorder.changes.append($0) }
    try books.performFetch()
    return recorder
  }

  private final class ChangeRecorder {
    var changes: [FetchedChanges] = []
  }

  private func path(_ section: Int, _ item: Int) -> FetchedIndexPath {
    FetchedIndexPath(section: section, item: item)
  }

  // MARK: Results

  @Test func `objects are found by index, and indexes by object`() throws {
    try addBooks([("Orlando", 1), ("Flush", 2)])
    let books = Books(main, byTitle)
    try books.performFetch()
    #expect(books.fetchedObjects.map(\.title) == ["Flush", "Orlando"])
    #expect(books.object(at: path(0, 1))?.title == "Orlando")
    let orlando = try #require(books.object(at: path(0, 1)))
    #expect(books.indexPath(of: orlando) == path(0, 1))
    #expect(books.indexPath(of: author) == nil)
    for outside in [path(0, 2), path(0, -1), path(1, 0), path(-1, 0), path(.max, .min)] {
      #expect(books.object(at: outside) == nil)
    }
  }

  @Test func `before the first fetch there are no results and no notifications`() throws {
    let books = Books(main, byTitle)
    books.didChange = { _ in Issue.record("nothing was fetched") }
    add("Flush", to: main.context)
    try books.processPendingChanges()
    #expect(books.sections.isEmpty)
    #expect(books.count == 0)
  }

  @Test func `without a section key there is exactly one section, even if it is empty`() throws {
    let books = Books(main, byTitle)
    try books.performFetch()
    #expect(books.sections.count == 1)
    #expect(books.sections.first?.count == 0)
    #expect(books.sections.first?.name == "")
  }

  @Test func `results are sorted by section before the request's own order`() throws {
    try addBooks([("Orlando", 2), ("Flush", 1), ("The Waves", 2), ("Jacob's Room", 2)])
    let books = Books(main, byTitle, sectionedBy: \.mark)
    try books.performFetch()
    #expect(books.sections.map(\.name) == ["1", "2"])
    #expect(
      books.sections.map { $0.objects.map(\.title) } == [
        ["Flush"], ["Jacob's Room", "Orlando", "The Waves"],
      ])
    #expect(books.object(at: path(1, 0))?.title == "Jacob's Room")
  }

  @Test func `sections are in descending order if the request's first criterion is descending`() throws {
    try addBooks([("Orlando", 2), ("Flush", 1), ("The Waves", 3)])
    let request = FetchRequest(Book.self, sortedBy: [.descending(\.mark), .ascending(\.title)])
    let books = Books(main, request, sectionedBy: \.mark)
    try books.performFetch()
    #expect(books.sections.map(\.value) == [.integer(3), .integer(2), .integer(1)])
  }

  @Test func `an optional attribute has a section for null`() throws {
    try elsewhere { context in
      add("Orlando", to: context).pages = 300
      add("Flush", to: context)
    }
    let books = Books(main, byTitle, sectionedBy: \.pages)
    try books.performFetch()
    #expect(books.sections.map(\.name) == ["", "300"])
  }

  @Test func `index titles are the distinct first letters`() throws {
    try addBooks([("orlando", 0), ("Flush", 0), ("Freshwater", 0), ("Émile", 0)])
    let books = Books(main, byTitle, sectionedBy: \.title)
    try books.performFetch()
    #expect(books.sectionIndexTitles == ["F", "O", "É"])
    #expect(books.section(forIndexTitle: "O") == 2)
    #expect(books.section(forIndexTitle: "X") == nil)
  }

  @Test func `a section key that is not an attribute is refused`() {
    let books = FetchedResultsController(main, FetchRequest(Loan.self), sectionedBy: \.id)
    #expect(throws: StoreError.self) { try books.performFetch() }
  }

  // MARK: Saves of others

  @Test func `a save of another context is reported once, after the merge`() throws {
    try addBooks([("Flush", 0), ("Orlando", 0), ("The Waves", 0)])
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    try elsewhere { context in
      try find("Orlando", in: context).pages = 300
      context.delete(try find("Flush", in: context))
      add("Between the Acts", to: context)
    }
    #expect(recorder.changes.isEmpty)
    try main.flush()
    let change = try #require(recorder.changes.first)
    #expect(recorder.changes.count == 1)
    #expect(change.deletions.map(\.path) == [path(0, 0)])
    #expect(change.insertions.map(\.path) == [path(0, 0)])
    #expect(change.updates.map(\.before) == [path(0, 1)])
    #expect(change.moves.isEmpty)
    #expect(books.fetchedObjects.map(\.title) == ["Between the Acts", "Orlando", "The Waves"])
    #expect(books.object(at: path(0, 1))?.pages == 300)
  }

  @Test func `an object that changes its section moves, and sections are added and removed`() throws {
    try addBooks([("Flush", 1), ("Orlando", 2)])
    let books = Books(main, byTitle, sectionedBy: \.mark)
    let recorder = try watched(books)
    try elsewhere { context in try find("Flush", in: context).mark = 3 }
    try main.flush()
    let change = try #require(recorder.changes.first)
    #expect(change.deletedSections == [0])
    #expect(change.insertedSections == [1])
    let flush = try #require(books.object(at: path(1, 0)))
    #expect(change.moves == [.init(id: flush.id, from: path(0, 0), to: path(1, 0), isUpdated: true)])
    #expect(flush.title == "Flush")
  }

  @Test func `a save of another entity causes no query`() throws {
    try addBooks([("Flush", 0)])
    try main.flush()
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let before = store.readCount()
    try elsewhere { $0.insert(Tag.self).name = "novel" }
    try main.flush()
    try books.processPendingChanges()
    #expect(store.readCount() == before)
    #expect(recorder.changes.isEmpty)
  }

  @Test func `a save of an entity in the predicate causes an update`() throws {
    try addBooks([("Flush", 0)])
    let books = Books(main, FetchRequest(Book.self, where: .to(\.author, where: \.city == "London")))
    let recorder = try watched(books)
    #expect(books.count == 0)
    try elsewhere { context in context.object(Author.self, with: author)?.city = "London" }
    try main.flush()
    #expect(books.count == 1)
    #expect(recorder.changes.first?.insertions.count == 1)
  }

  @Test func `a tag added in another context counts if the predicate uses tags`() throws {
    try addBooks([("Flush", 0)])
    let books = Books(main, FetchRequest(Book.self, where: .to(some: \.tags, where: \.name == "dog")))
    _ = try watched(books)
    try elsewhere { context in
      let tag = context.insert(Tag.self)
      tag.name = "dog"
      try find("Flush", in: context).tags = [tag]
    }
    try main.flush()
    #expect(books.count == 1)
  }

  @Test func `several controllers and the context's owner are notified of the same merge`() throws {
    let first = try watched(Books(main, byTitle))
    let controllers = [Books(main, byTitle), Books(main, FetchRequest(Book.self, where: \.mark > 5))]
    let recorder = try controllers.map(watched)
    var merges = 0
    main.didMerge = { _ in merges += 1 }
    try addBooks([("Flush", 0)])
    try main.flush()
    #expect(first.changes.isEmpty, "its controller is gone")
    #expect(recorder.map(\.changes.count) == [1, 0])
    #expect(merges == 1)
  }

  @Test func `an object deleted elsewhere is removed at the next merge without a trap`() throws {
    try addBooks([("Flush", 0), ("Orlando", 0)])
    let books = Books(main, FetchRequest(Book.self, sortedBy: [.ascending(\.title)], batchSize: 5))
    let recorder = try watched(books)
    try elsewhere { context in context.delete(try find("Flush", in: context)) }
    #expect(books.object(at: path(0, 0))?.title == "")
    #expect(books.fetchedObjects.count == 2)
    try main.flush()
    #expect(books.fetchedObjects.map(\.title) == ["Orlando"])
    #expect(recorder.changes.first?.deletions.map(\.path) == [path(0, 0)])
  }

  @Test func `an update of an object that was never read is reported too`() throws {
    try addBooks([("Flush", 0), ("Orlando", 0)])
    try main.flush()
    let books = Books(main, FetchRequest(Book.self, sortedBy: [.ascending(\.title)], batchSize: 1))
    let recorder = try watched(books)
    try elsewhere { context in try find("Orlando", in: context).pages = 1 }
    try main.flush()
    #expect(recorder.changes.first?.updates.map(\.after) == [path(0, 1)])
  }

  // MARK: Changes of one's own

  @Test func `unsaved changes are reported once per turn of the main queue`() async throws {
    try addBooks([("Flush", 0)])
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let flush = try #require(books.object(at: path(0, 0)))
    flush.pages = 1
    flush.pages = 2
    add("Orlando", to: main.context)
    #expect(recorder.changes.isEmpty)
    await nextTurn()
    #expect(recorder.changes.count == 1)
    #expect(recorder.changes.first?.updates.map(\.id) == [flush.id])
    #expect(recorder.changes.first?.insertions.map(\.path) == [path(0, 1)])
    await nextTurn()
    #expect(recorder.changes.count == 1)
  }

  private func nextTurn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }

  @Test func `a later edit of the same object is reported as well`() throws {
    try addBooks([("Flush", 0)])
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let flush = try #require(books.object(at: path(0, 0)))
    for pages in 1...3 {
      flush.pages = pages
      try books.processPendingChanges()
    }
    let new = add("Orlando", to: main.context)
    try books.processPendingChanges()
    new.pages = 9
    try books.processPendingChanges()
    #expect(recorder.changes.map(\.updates.count) == [1, 1, 1, 0, 1])
    new.pages = 9
    try books.processPendingChanges()
    #expect(recorder.changes.count == 5)
  }

  @Test func `an edit made before the controller's fetch does not hide later ones`() throws {
    try addBooks([("Flush", 0)])
    let flush = try find("Flush", in: main.context)
    flush.pages = 1
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    flush.pages = 2
    try books.processPendingChanges()
    #expect(recorder.changes.map(\.updates.count) == [1])
  }

  @Test func `an edit moves an object, or removes it from the results`() throws {
    try addBooks([("Flush", 0), ("Orlando", 0)])
    let books = Books(main, FetchRequest(Book.self, where: \.mark < 5, sortedBy: [.ascending(\.title)]))
    let recorder = try watched(books)
    let flush = try #require(books.object(at: path(0, 0)))
    flush.title = "Z"
    try books.processPendingChanges()
    #expect(books.indexPath(of: flush) == path(0, 1))
    flush.mark = 5
    try books.processPendingChanges()
    #expect(books.indexPath(of: flush) == nil)
    main.context.rollback()
    try books.processPendingChanges()
    #expect(books.indexPath(of: flush) == path(0, 0))
    #expect(recorder.changes.map(\.moves.count) == [1, 0, 0])
    #expect(recorder.changes.map(\.deletions.count) == [0, 1, 0])
    #expect(recorder.changes.map(\.insertions.count) == [0, 0, 1])
  }

  @Test func `a deletion is reported at once, and its save reports nothing more`() async throws {
    try addBooks([("Flush", 0), ("Orlando", 0)])
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    main.context.delete(try #require(books.object(at: path(0, 0))))
    try books.processPendingChanges()
    #expect(recorder.changes.map(\.deletions.count) == [1])
    try await main.save()
    try main.flush()
    await nextTurn()
    #expect(recorder.changes.count == 1)
  }

  @Test func `a new object keeps its position when its save changes its ID`() async throws {
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let new = add("Flush", to: main.context)
    try books.processPendingChanges()
    let temporary = new.id
    #expect(books.indexPath(of: new) == path(0, 0))
    try main.context.save()
    #expect(!new.id.isTemporary)
    #expect(books.indexPath(of: new) == path(0, 0))
    #expect(books.indexPath(of: temporary) == path(0, 0))
    #expect(books.object(at: path(0, 0)) === new)
    try main.flush()
    await nextTurn()
    #expect(recorder.changes.count == 1)
    #expect(books.fetchedIDs == [new.id])
  }

  @Test func `a new object that is deleted before a save is added and removed`() throws {
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let new = add("Flush", to: main.context)
    try books.processPendingChanges()
    main.context.delete(new)
    #expect(books.object(at: path(0, 0)) == nil)
    #expect(books.fetchedObjects.isEmpty)
    try books.processPendingChanges()
    #expect(recorder.changes.map(\.deletions.count) == [0, 1])
  }

  @Test func `objects that a reset forgets leave the results`() throws {
    try addBooks([("Flush", 0)])
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    add("Orlando", to: main.context)
    try books.processPendingChanges()
    main.context.reset()
    #expect(books.fetchedObjects.map(\.title) == ["Flush"])
    try books.processPendingChanges()
    #expect(recorder.changes.map(\.deletions.count) == [0, 1])
  }

  @Test func `objects deleted by a delete rule leave the results at once`() throws {
    try addBooks([("Flush", 1), ("Orlando", 1)])
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    main.context.delete(try main.context.existingObject(Author.self, with: author))
    try books.processPendingChanges()
    #expect(books.count == 0 && recorder.changes.map(\.deletions.count) == [2])
  }

  @Test func `a reset shows the stored state of a save that the store then refuses`() async throws {
    try addBooks([("Flush", 1)])
    let gated = GatedStore()
    let main = MainContext(
      parent: RootContext(coordinator: PersistentStoreCoordinator(model: Library.model, store: gated)))
    let books = Books(main, byTitle)
    try books.performFetch()
    gated.refuse { _ in .full("no room") }
    gated.closeGate()
    let author = main.context.insert(Author.self)
    author.name = "Austen"
    let book = main.context.insert(Book.self)
    (book.title, book.author) = ("Emma", author)
    _ = try main.context.push()
    try books.processPendingChanges()
    #expect(books.count == 1)
    main.context.reset()
    gated.openGate()
    try books.processPendingChanges()
    #expect(books.count == 0)
  }

  @Test func `the temporary ID of a saved object still leads to it after a reset`() async throws {
    let new = main.context.insert(Author.self)
    new.name = "Austen"
    let temporary = new.id
    add("Emma", to: main.context).author = new
    let books = Books(main, FetchRequest(Book.self, where: \.author == temporary))
    try books.performFetch()
    try await main.save()
    main.context.reset()
    try books.processPendingChanges()
    #expect(books.fetchedObjects.map(\.title) == ["Emma"])
    #expect(main.context.object(Author.self, with: temporary)?.name == "Austen")
  }

  @Test func `a child's save to the main context is reported`() async throws {
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let child = BackgroundContext(parent: main, name: "child")
    let author = author
    await child.perform { context in
      let book = context.insert(Book.self)
      book.author = context.object(Author.self, with: author)
      book.title = "Flush"
    }
    try await child.save()
    try books.processPendingChanges()
    #expect(recorder.changes.map(\.insertions.count) == [1])
    #expect(books.fetchedObjects.map(\.title) == ["Flush"])
  }

  @Test(arguments: 0..<240)
  func `results that follow changes equal the results of a new fetch`(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try addBooks((0..<8).map { ("Book \($0)", $0 % 3) })
    let request = request(seed)
    let list = { (main: MainContext) in
      seed.isMultiple(of: 3) ? Books(main, request) : Books(main, request, sectionedBy: \.mark)
    }
    let books = list(main)
    try books.performFetch()
    let screen = Screen(books)
    for step in 0..<25 {
      if Bool.random(using: &random) {
        try change(main.context, step, &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: _ = try? await main.save()
        case 4: main.context.rollback()
        case 5: main.context.reset()
        case 6: main.context.refreshAllObjects()
        default: break
        }
      } else {
        try elsewhere { try change($0, step, &random) }
      }
      if Bool.random(using: &random) { try main.flush() }
      try books.processPendingChanges()
      #expect(screen.lines == books.fetchedObjects.map(\.line))
      for (place, book) in books.fetchedObjects.enumerated() {
        #expect(books.indexPath(of: book).flatMap(books.results.position) == place)
      }
    }
    main.context.rollback()
    try main.flush()
    try books.processPendingChanges()
    let fresh = list(MainContext(parent: coordinator))
    try fresh.performFetch()
    #expect(screen.lines == fresh.fetchedObjects.map(\.line))
    #expect(books.fetchedIDs == fresh.fetchedIDs)
    #expect(screen.list.sections.map(\.value) == fresh.sections.map(\.value))
  }

  /// Orders with ties, null values and descending keys; predicates of every kind; and some requests that must be
  /// fetched again as a whole.
  private func request(_ seed: Int) -> FetchRequest<Book> {
    let orders: [[FetchSort<Book>]] = [
      [.ascending(\.title)], [.descending(\.mark), .ascending(\.title)],
      [.ascending(\.pages), .descending(\.mark)], [],
    ]
    let predicates: [FetchPredicate<Book>?] = [
      \.mark < 4, nil, .to(\.author, where: \.name == "Woolf"), \.pages > 1 || \.mark == 2,
    ]
    return FetchRequest(
      Book.self, where: predicates[seed / 4 % 4], sortedBy: orders[seed % 4],
      limit: seed.isMultiple(of: 11) ? 6 : nil, batchSize: seed % 2 * 3)
  }

  /// A list on a screen. It shows each object with the text that it had when the list was updated.
  @MainActor private final class Screen {
    private(set) var list: ShownList
    private var texts: [ManagedObjectID: String] = [:]
    private let permanentID: (ManagedObjectID) -> ManagedObjectID

    init(_ books: Books) {
      list = ShownList(books.sections.map { .init(value: $0.value, ids: $0.ids) })
      permanentID = { [context = books.main.context] in context.permanentIDs[$0] }
      for book in books.fetchedObjects { texts[book.id] = book.line }
      books.didChange = { [unowned self, unowned books] changes in
        list.apply(changes, inserting: books.results)
        let moved = changes.moves.filter(\.isUpdated)
        let shown = changes.insertions.map(\.path) + changes.updates.map(\.after) + moved.map(\.to)
        for book in shown.compactMap({ books.object(at: $0) }) { texts[book.id] = book.line }
      }
    }

    var lines: [String] {
      // Saves may have changed the IDs of objects since they were listed.
      for (id, text) in texts where texts[permanentID(id)] == nil { texts[permanentID(id)] = text }
      return list.sections.flatMap(\.ids).map { texts[permanentID($0)] ?? "nothing" }
    }
  }

  private func change(
    _ context: ManagedObjectContext, _ step: Int, _ random: inout SeededGenerator
  ) throws {
    let all = try context.fetch(FetchRequest(Book.self))
    let book = all.randomElement(using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: add("New \(Int.random(in: 0..<100, using: &random)) \(step)", 2, to: context)
    case 1: book.map(context.delete)
    case 2: book?.mark = Int.random(in: 0..<6, using: &random)
    case 3: book?.pages = [nil, 1, 2, 3].randomElement(using: &random) ?? nil
    default: book?.title = "Title \(Int.random(in: 0..<100, using: &random)) \(step)"
    }
  }

  @Test func `over a root, the merge of the context's own save reports nothing`() async throws {
    let stack = try LibraryStack()
    let author = try await stack.addAuthor("Woolf")
    let main = MainContext(parent: stack.root)
    main.mergeInterval = 3600
    let authors = FetchedResultsController(
      main, FetchRequest(Author.self, sortedBy: [.ascending(\.name)]), sectionedBy: \.city)
    let recorder = ChangeRecorder()
    authors.didChange = { recorder.changes.append($0) }
    try authors.performFetch()
    main.context.object(Author.self, with: author)?.city = "London"
    main.context.insert(Author.self).name = "Joyce"
    try await main.save()
    try main.flush()
    await nextTurn()
    #expect(recorder.changes.count == 1)
    #expect(authors.sections.map(\.name) == ["", "London"])

    let other = stack.background()
    await other.perform { context in context.object(Author.self, with: author)?.city = "Sussex" }
    try await other.save()
    try main.flush()
    #expect(recorder.changes.count == 2)
    #expect(recorder.changes.last?.moves.map(\.id) == [author])
    #expect(authors.sections.map(\.name) == ["", "Sussex"])
  }

  @Test func `if the store wins against an edit, the list reports it`() async throws {
    try addBooks([("Flush", 0)])
    let main = MainContext(parent: coordinator, mergePolicy: .storeTrumps, mergesChanges: false)
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    let flush = try #require(books.object(at: path(0, 0)))
    flush.mark = 5
    try books.processPendingChanges()
    try elsewhere { context in try find("Flush", in: context).mark = 7 }
    try await main.save()
    #expect(flush.mark == 7)
    #expect(recorder.changes.map(\.updates.count) == [1, 1])
  }

  // MARK: Reading

  @Test func `with a batch size objects stay faults and are read a page at a time`() throws {
    try addBooks((0..<10).map { ("Book \($0)", 0) })
    let books = Books(main, FetchRequest(Book.self, sortedBy: [.ascending(\.title)], batchSize: 4))
    let before = store.readCount()
    try books.performFetch()
    #expect(store.readCount() == before + 1)
    #expect(books.fetchedObjects.filter(\.isFault).count == 10)
    #expect(books.object(at: path(0, 5))?.title == "Book 5")
    #expect(books.object(at: path(0, 7))?.title == "Book 7")
    #expect(store.readCount() == before + 2)
    #expect(books.fetchedObjects.filter { !$0.isFault }.map(\.title) == (4..<8).map { "Book \($0)" })
    #expect(store.readCount() == before + 2)
  }

  @Test func `without a batch size a change reads only IDs and new objects`() throws {
    try addBooks((0..<10).map { ("Book \($0)", 0) })
    try main.flush()
    let books = Books(main, byTitle)
    try books.performFetch()
    #expect(!books.fetchedObjects.contains { $0.isFault })
    try addBooks([("A", 0), ("B", 0)])
    let before = store.readCount()
    try main.flush()
    #expect(store.readCount() == before + 2)
    #expect(books.fetchedObjects.map(\.title).prefix(3) == ["A", "B", "Book 0"])
    #expect(store.readCount() == before + 2)
  }

  @Test func `a change of one object among many queries only that object`() throws {
    try addBooks((0..<100).map { ("Book \($0 + 100)", 0) })
    try main.flush()
    let books = Books(main, FetchRequest(Book.self, sortedBy: [.ascending(\.title)], batchSize: 10))
    try books.performFetch()
    try elsewhere { try find("Book 120", in: $0).title = "Book 170a" }
    let (questions, rows) = (store.readCount(), store.rowCount)
    try main.flush()
    #expect(store.readCount() == questions + 1 && store.rowCount == rows + 1)
    #expect(books.object(at: path(0, 70))?.title == "Book 170a")
  }

  @Test func `all observers receive the changes in order until the controller is released`()
    async throws
  {
    var books: Books? = Books(main, byTitle)
    try books?.performFetch()
    let (one, other) = (try #require(books?.changes()), try #require(books?.changes()))
    try addBooks([("Flush", 1)])
    try main.flush()
    try addBooks([("Orlando", 1), ("Emma", 1)])
    try main.flush()
    books = nil
    for stream in [one, other] {
      var paths: [[FetchedIndexPath]] = []
      for await changes in stream { paths.append(changes.insertions.map(\.path)) }
      #expect(paths == [[path(0, 0)], [path(0, 0), path(0, 2)]])
    }
  }

  @Test func `changes that cannot be read are included in the next update`() throws {
    let books = Books(main, byTitle)
    let recorder = try watched(books)
    add("Flush", to: main.context)
    store.refuse { $0.operation == .fetch ? .inputOutput("broken") : nil }
    #expect(throws: StoreError.inputOutput("broken")) { try books.processPendingChanges() }
    #expect(books.fetchError == .inputOutput("broken"))
    #expect(throws: StoreError.inputOutput("broken")) { try books.performFetch() }
    #expect(books.count == 0)
    store.refuse(nil)
    try books.processPendingChanges()
    #expect(books.fetchError == nil)
    #expect(recorder.changes.map(\.insertions.count) == [1])
  }

  @Test func `a new request takes effect at the next fetch`() throws {
    try addBooks([("Flush", 1), ("Orlando", 2)])
    let books = Books(main, byTitle)
    try books.performFetch()
    books.request.predicate = \.mark > 1
    #expect(books.count == 2)
    try books.performFetch()
    #expect(books.fetchedObjects.map(\.title) == ["Orlando"])
  }

  @Test func `a controller without references is released`() throws {
    weak var books: Books?
    do {
      let held = Books(main, byTitle)
      try held.performFetch()
      books = held
    }
    #expect(books == nil)
    try addBooks([("Flush", 0)])
    let before = store.readCount()
    try main.flush()
    #expect(store.readCount() == before)
  }
}

extension Book {
  /// The text of a book in a list.
  fileprivate var line: String { "\(self.mark) \(self.title)" }
}
