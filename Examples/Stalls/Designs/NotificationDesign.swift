import Dispatch
import ManagedContext

/// Two contexts over one coordinator; the worker's did-save notification is merged into the main context.
///
///     main context → coordinator ← worker context
///          ↑______ did save ___________|
///
/// The main queue neither creates nor writes objects. It merges each save once and refreshes the objects that it shows.
/// With Core Data, both contexts wait for each other in the coordinator, so that a read waits for a write. Here a read
/// has its own snapshot of the store.
final class NotificationDesign: Design {
  private let context: MainContext
  private let worker: BackgroundContext
  var main: MainContext? { context }

  init(_ coordinator: PersistentStoreCoordinator, niceness: Int32) {
    context = MainContext(parent: coordinator, mergesChanges: false)
    worker = BackgroundContext(parent: coordinator, name: "worker", niceness: niceness)
  }

  func run(_ workload: Workload) async throws {
    let observation = worker.didSave.observe { [context] changes in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { Self.merge(changes, into: context) }
      }
    }
    for batch in workload.batches {
      try await worker.perform { context in
        Workload.insert(batch, into: context)
        try context.save()
        context.reset()
      }
    }
    observation.cancel()
  }

  private static func merge(_ changes: ContextChanges, into main: MainContext) {
    do throws(StoreError) {
      try main.context.mergeChanges(from: changes)
    } catch {
      fatalError("a merge failed: \(error)")
    }
  }
}
