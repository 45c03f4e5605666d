import ManagedContext

/// The worker's parent is the main context.
///
///     worker context → main context → coordinator
///
/// No notification is needed: what the worker saves is in the main context at once, in memory. But the main
/// context is the one that saves to the store, on the main queue, and to take the worker's objects in is its work
/// too.
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
        // Into the main context.
        try context.save()
        context.reset()
      }
      // Into the store; the main queue waits for it.
      try context.context.save()
      context.context.reset()
    }
  }
}
