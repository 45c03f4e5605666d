import ManagedContext
import NewsModel

/// Plain answers for several feeds, which one save writes without objects; see ``FeedAnswer/isPlain(_:)``.
struct PlainAnswers {
  private var feeds = RowBatch(entity: NewsModel.Place.feed, columns: FeedAnswer.columns)
  private var records = FeedAnswer.records()

  /// Adds an answer. The feed's row must be the same as for its request.
  mutating func append(_ answer: FeedAnswer, of request: FeedRequest) {
    var edit = FeedEdit(request.row)
    let slot = answer.write(to: &edit)
    edit.append(to: &feeds)
    answer.appendRecord(of: request, slot: slot, to: &records)
  }

  /// Passes the answers to the context's parent.
  ///
  /// The save is a conflict if a row has changed. Nothing is written then.
  func push(in context: ManagedObjectContext) throws(StoreError) -> SaveTicket? {
    context.edit(BatchEdit(feeds))
    context.insert(BatchUpsert(records, unique: FeedAnswer.recordPlace))
    return try context.push()
  }
}

/// A feed's row as it was read, with new values for ``FeedAnswer/columns``.
struct FeedEdit: AttributeWriting {
  private let row: FeedRow
  /// The new values, in the order of ``FeedAnswer/columns``; nil for unchanged values.
  private var values = [AttributeValue?](repeating: nil, count: FeedAnswer.columns.count)

  init(_ row: FeedRow) {
    self.row = row
  }

  var id: ManagedObjectID { row.id }

  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    get {
      let new = Self.place(of: key.index).flatMap { values[$0] }
      return new.map { Value(attributeValue: $0) ?? .placeholder } ?? row[key]
    }
    set {
      if let place = Self.place(of: key.index) { values[place] = newValue.attributeValue }
    }
  }

  /// Adds the row with its new values to a batch with ``FeedAnswer/columns``.
  func append(to rows: inout RowBatch) {
    rows.beginRow(key: row.id.key, version: row.version)
    for (place, column) in FeedAnswer.columns.enumerated() { rows.append(values[place] ?? row.value(column)) }
  }

  private static func place(of attribute: Int) -> Int? {
    places.indices.contains(attribute) ? places[attribute] : nil
  }

  /// The positions in ``FeedAnswer/columns``, by attribute index.
  private static let places: [Int?] = (0...(FeedAnswer.columns.max() ?? 0)).map {
    FeedAnswer.columns.firstIndex(of: $0)
  }
}
