public import ManagedContext
internal import SQLiteStore

/// The kinds of store that must behave the same.
public enum StoreKind: String, CaseIterable, Sendable {
  case sqlite
  case memory
}

/// A coordinator over a library in its own store.
public final class LibraryStore: Sendable {
  public let coordinator: PersistentStoreCoordinator
  private let folder: TemporaryFolder?

  public init(_ kind: StoreKind) throws {
    switch kind {
    case .memory:
      folder = nil
      coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
    case .sqlite:
      let folder = try TemporaryFolder()
      self.folder = folder
      let store = try SQLiteStore(
        path: folder.file("library.db"), model: Library.model, identity: LibraryStack.identity)
      coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
    }
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
