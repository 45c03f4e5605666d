import Corpus
import Foundation
import ManagedContext
import NewsModel

/// Passes the rows of all feeds through a context to a root, as a worker does.
enum SaveStage {
  static func run(_ corpus: CorpusFolder, _ stopwatch: inout Stopwatch) throws -> (bytes: Int, rows: Int) {
    let root = RootContext(
      coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: DroppingStore()))
    defer { root.close() }
    let context = ManagedObjectContext(parent: root)
    context.mergePolicy = .objectTrumps
    var rows = 0
    var waiting: [BatchUpsert] = []
    func push() throws {
      let batches = waiting
      waiting = []
      try stopwatch.measure {
        let ended = DispatchSemaphore(value: 0)
        var tickets = 0
        for batch in batches {
          context.insert(batch)
          guard let ticket = try context.push() else { continue }
          tickets += 1
          ticket.whenEnded { _ in ended.signal() }
        }
        context.reset()
        root.flush()
        for _ in 0..<tickets { ended.wait() }
      }
    }
    let bytes = try RowSource.read(corpus.files(.first)) { _, batch in
      rows += batch.rows.count
      waiting.append(batch)
      if waiting.count == 32 { try push() }
    }
    try push()
    return (bytes, rows)
  }
}

/// A store that discards everything.
private final class DroppingStore: PersistentStore {
  let name = "nothing"
  let number = StoreNumber.unique()

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    RowBatch(entity: query.entity, columns: query.columns ?? [])
  }

  func count(_ query: StoreQuery) throws(StoreError) -> Int { 0 }

  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    group.map { _ in .success(CommitResult()) }
  }
}
