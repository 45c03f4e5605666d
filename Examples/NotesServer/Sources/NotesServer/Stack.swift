import ManagedContext
import SQLiteStore

/// The parts that all requests share.
struct Stack: Sendable {
  let root: RootContext
  private let threads: [ThreadExecutor]

  /// Opens the store, and creates it if it does not exist.
  init(path: String) throws {
    let store = try SQLiteStore(
      path: path, model: Notes.model, identity: StoreIdentity(applicationID: 0x4E4F_5445))
    root = RootContext(coordinator: PersistentStoreCoordinator(model: Notes.model, store: store))
    threads = try (1...4).map { try ThreadExecutor(name: "requests \($0)") }
  }

  /// Returns a new context for one request. Any number of them share the threads.
  func context() -> BackgroundContext {
    BackgroundContext(parent: root, on: threads.randomElement() ?? threads[0], name: "request")
  }
}
