import ManagedContext

/// A root context that alone writes, a main context that only reads for the user, and workers that import.
///
///     worker contexts → root context → coordinator
///                           ↑
///                      main context
///
/// A worker's save passes a value to the root and returns. The root's thread groups the saves of all workers into
/// transactions. The main context merges committed changes, many saves at once, and reads snapshots of the store
/// without waiting for another context. No work of the import runs on the main queue. On a machine with few processors,
/// all of that work yields to the main queue (see `niceness`).
final class RootUIWorkersDesign: Design {
  private static let workerCount = 2
  private let root: RootContext
  private let context: MainContext
  private let workers: [BackgroundContext]
  private let savesRows: Bool
  var main: MainContext? { context }

  /// - Parameter savesRows: True if workers save rows without creating objects, like the importer.
  init(_ coordinator: PersistentStoreCoordinator, niceness: Int32, savesRows: Bool = false) {
    let root = RootContext(coordinator: coordinator, grouping: .responsive, niceness: niceness)
    self.root = root
    self.savesRows = savesRows
    context = MainContext(parent: root)
    workers = (1...Self.workerCount).map {
      BackgroundContext(parent: root, name: "worker \($0)", niceness: niceness)
    }
  }

  func run(_ workload: Workload) async throws {
    let savesRows = savesRows
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, worker) in workers.enumerated() {
        let batches = workload.batches(ofWorker: number, of: workers.count)
        group.addTask { try await Self.run(batches, in: worker, savesRows: savesRows) }
      }
      try await group.waitForAll()
    }
    try context.flush()
  }

  /// Passes on all batches without waiting for the store, then waits until each of them is committed.
  private nonisolated static func run(
    _ batches: [Range<Int>], in worker: BackgroundContext, savesRows: Bool
  ) async throws {
    var tickets: [SaveTicket] = []
    for batch in batches {
      let ticket = try await worker.perform { context in
        if savesRows {
          context.insert(try Workload.rows(batch, context.model))
        } else {
          Workload.insert(batch, into: context)
        }
        let ticket = try context.push()
        context.reset()
        return ticket
      }
      tickets += [ticket].compactMap { $0 }
    }
    for ticket in tickets { _ = try await ticket.committed() }
  }
}
