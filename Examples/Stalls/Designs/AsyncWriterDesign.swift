import ManagedContext

/// Parent and child, with a writer of its own between the main context and the store.
///
///     worker context → main context → writer context → coordinator
///
/// A save of the main context is a hand-over in memory, and the writer saves to the store on its own thread. But
/// the worker's objects still pass through the main queue, and whatever the main context asks the writer (each
/// read, each save) waits until the writer has written.
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
        // Into the main context.
        try context.save()
        context.reset()
      }
      // Into the writer, in memory.
      try context.context.save()
      context.context.reset()
      // Into the store, while the worker makes the next batch.
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
