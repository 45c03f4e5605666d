import ManagedContext

/// One context for everything, on the main queue: where every Core Data program begins.
///
///     main context → coordinator
///
/// Nothing can go wrong between contexts, because there is one. But each batch is made and written on the main
/// queue, and whatever else the queue has to do waits until the store has it. Small saves make the waits short;
/// they do not make them go away.
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
      // A context holds its objects until it is told to forget them; an import of any size has to.
      context.reset()
      // Lets the main queue do what came meanwhile.
      await Task.yield()
    }
  }
}
