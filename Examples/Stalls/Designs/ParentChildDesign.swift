import ManagedContext

/// A worker context that is a child of the main context.
///
///     worker context → main context → coordinator
///
/// No notification is needed: the worker's saves are in the main context immediately, in memory. But the main context
/// saves to the store on the main queue, and it also merges the worker's objects there.
final class ParentChildDesign: Design {
  private let context: MainContext
  private let worker: BackgroundContext
  var main: MainContext? { context }

  init(_ coordinator: PersistentStoreCoordinator, niceness: Int32) {
    context = MainContext(parent: coordinator, mergesChanges: false)
    worker = BackgroundContext(parent: context, name: "worker", niceness: niceness)
  }

  func run(_ workload: Workload) async throws {
    for batch in workload.batches {
      try await worker.perform { context in
        Workload.insert(batch, into: context)
        // Saves into the main context.
        try context.save()
        context.reset()
      }
      // Saves into the store; the main queue waits for it.
      try context.context.save()
      context.context.reset()
    }
  }
}
