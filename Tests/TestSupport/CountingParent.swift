public import ManagedContext

/// A parent that passes everything on and counts the queries.
public final class CountingParent: ContextParent {
  private let parent: any ContextParent
  private let questions = Counter()

  public init(_ parent: any ContextParent) { self.parent = parent }

  public var count: Int { questions.value }
  public var model: ManagedObjectModel { parent.model }
  public var writtenStoreNumber: StoreNumber { parent.writtenStoreNumber }
  public var notices: ChangeNotifier { parent.notices }

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    questions.increment()
    return try parent.fetch(query)
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    questions.increment()
    return try parent.count(query)
  }

  public func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket {
    parent.accept(changes, after: prerequisite)
  }
}
