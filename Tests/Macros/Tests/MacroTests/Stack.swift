import Foundation
import ManagedContext
import SQLiteStore

/// A folder for one test's store, which is deleted with it.
final class StoreFolder: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "macro-test-\(UUID().uuidString)")

  /// Opens the store with a model, and returns a context on it.
  func open(_ model: ManagedObjectModel) throws -> BackgroundContext {
    let store = try SQLiteStore(
      path: folder.appendingPathComponent("store.db").path, model: model,
      identity: StoreIdentity(applicationID: 0x4D41_4352))
    let coordinator = PersistentStoreCoordinator(model: model, store: store)
    return BackgroundContext(parent: RootContext(coordinator: coordinator), name: "test")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
