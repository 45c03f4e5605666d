public import ManagedContext
public import SQLiteStore

/// A library in its own SQLite store, with a root and any number of children.
public final class LibraryStack: Sendable {
  public let folder: TemporaryFolder
  public let coordinator: PersistentStoreCoordinator
  public let root: RootContext

  public static let identity = StoreIdentity(applicationID: 0x4C49_4252)

  public init(grouping: RootContext.Grouping = .init()) throws {
    folder = try TemporaryFolder()
    let store = try SQLiteStore(
      path: folder.file("library.db"), model: Library.model, identity: Self.identity)
    coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
    root = RootContext(coordinator: coordinator, grouping: grouping)
  }

  public var storePath: String { folder.file("library.db") }

  public func background(_ name: String = "test", policy: MergePolicy = .error) -> BackgroundContext {
    BackgroundContext(parent: root, name: name, mergePolicy: policy)
  }

  /// Saves an author and returns its permanent ID.
  public func addAuthor(_ name: String) async throws -> ManagedObjectID {
    let context = background("author")
    await context.perform { context in context.insert(Author.self).name = name }
    let changes = try await context.save()
    guard let id = changes.inserted.first else { throw NothingInserted() }
    return id
  }
}

private struct NothingInserted: Error {}
