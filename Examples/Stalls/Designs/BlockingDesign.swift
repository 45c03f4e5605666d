import ManagedContext

/// One context for everything, on the main queue: the initial design of most Core Data programs.
///
///     main context → coordinator
///
/// Contexts cannot conflict, because there is only one context. But each batch is created and written on
/// the main queue, and all other work of the queue waits until the batch is stored. Small saves make the waits short;
/// they do not remove them.
final class BlockingDesign: Design {
  private let context: MainContext
  var main: MainContext? { context }

  init(_ coordinator: PersistentStoreCoordinator) {
    context = MainContext(parent: coordinator, mergesChanges: false)
  }

  func run(_ workload: Workload) async throws {
    for batch in workload.batches {
      let context = context.context
      Workload.insert(batch, into: context)
      try context.save()
      // A context keeps its objects until it is reset, so an import of any size must reset it.
      context.reset()
      // Lets the main queue run work that arrived meanwhile.
      await Task.yield()
    }
  }
}
