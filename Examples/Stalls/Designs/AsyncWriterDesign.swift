import ManagedContext

/// A parent and a child, with a separate writer context between the main context and the store.
///
///     worker context → main context → writer context → coordinator
///
/// A save of the main context only passes objects on in memory, and the writer saves to the store on its own thread.
/// But the worker's objects still pass through the main queue. Every request of the main context to the writer (each
/// read, each save) waits until the writer has finished writing.
final class AsyncWriterDesign: Design {
  private let writer: BackgroundContext
  private let context: MainContext
  private let worker: BackgroundContext
  var main: MainContext? { context }

  init(_ coordinator: PersistentStoreCoordinator, niceness: Int32) {
    writer = BackgroundContext(parent: coordinator, name: "writer", niceness: niceness)
    context = MainContext(parent: writer, mergesChanges: false)
    worker = BackgroundContext(parent: context, name: "worker", niceness: niceness)
  }

  func run(_ workload: Workload) async throws {
    var writing: Task<Void, any Error>?
    for batch in workload.batches {
      try await worker.perform { context in
        Workload.insert(batch, into: context)
        // Saves into the main context.
        try context.save()
        context.reset()
      }
      // Saves into the writer, in memory.
      try context.context.save()
      context.context.reset()
      // Saves into the store, while the worker creates the next batch.
      try await writing?.value
      writing = Task { [writer] in
        try await writer.perform { context in
          try context.save()
          context.reset()
        }
      }
    }
    try await writing?.value
  }
}
