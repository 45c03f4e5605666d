public import ManagedContext
public import ManagedContextTesting
internal import PostgreSQLStore
internal import SQLiteStore

/// The kinds of store that must behave the same.
public enum StoreKind: String, CaseIterable, Sendable {
  case sqlite
  case memory
  case postgresql

  /// The kinds that are tested: without a server (`make test-postgresql` starts one), all others.
  public static var allCases: [StoreKind] {
    [.sqlite, .memory] + (TestServer.address == nil ? [] : [.postgresql])
  }
}

extension StoreKind {
  /// Returns the seeds of random tests that make a store for each: fewer on a server, where that takes a tenth of a second.
  public func seeds(_ range: Range<Int>) -> [Int] {
    Array(stride(from: range.lowerBound, to: range.upperBound, by: self == .postgresql ? 10 : 1))
  }

  /// Opens an empty store of the kind.
  ///
  /// - Returns: The store, and what must exist as long as it is used.
  public func makeStore(
    _ model: ManagedObjectModel, application: Int32 = 1
  ) throws -> (store: any PersistentStore, place: (any Sendable)?) {
    switch self {
    case .memory: return (InMemoryStore(model: model), nil)
    case .sqlite:
      let folder = try TemporaryFolder()
      let identity = StoreIdentity(applicationID: application)
      return (try SQLiteStore(path: folder.file("store.db"), model: model, identity: identity), folder)
    case .postgresql:
      let schema = try TestSchema()
      return (try PostgreSQLStore(schema.address, model: model, application: application), schema)
    }
  }
}

/// A coordinator over a library in its own store.
public final class LibraryStore: Sendable {
  public let coordinator: PersistentStoreCoordinator
  /// The coordinator's store.
  public let store: TestStore
  private let place: (any Sendable)?

  public init(_ kind: StoreKind) throws {
    let (store, place) = try kind.makeStore(Library.model)
    self.place = place
    self.store = TestStore(store)
    coordinator = PersistentStoreCoordinator(model: Library.model, store: self.store)
  }

  /// Creates a context for a test that stays on one thread.
  public func context(_ policy: MergePolicy = .error) -> ManagedObjectContext {
    let context = ManagedObjectContext(parent: coordinator)
    context.mergePolicy = policy
    return context
  }

  /// Saves an author and returns its ID.
  public static func addAuthor(
    _ name: String, to coordinator: PersistentStoreCoordinator
  ) throws -> ManagedObjectID {
    let context = ManagedObjectContext(parent: coordinator)
    let author = context.insert(Author.self)
    author.name = name
    try context.save()
    return author.id
  }

  /// Saves an author with some books and returns the author's ID.
  @discardableResult
  public func add(_ name: String, city: String? = nil, books: [String] = []) throws -> ManagedObjectID {
    let context = context()
    let author = context.insert(Author.self)
    (author.name, author.city) = (name, city)
    for (place, title) in books.enumerated() {
      let book = context.insert(Book.self)
      (book.title, book.mark, book.author) = (title, place + 1, author)
    }
    try context.save()
    return author.id
  }
}
