/// A snapshot of a store, which a copy is made from.
public protocol StoreCopySource {
  /// Returns rows with keys greater than a number, in key order, with all attributes. Long texts in versions
  /// are complete.
  ///
  /// - Parameters:
  ///   - entity: The rows' entity.
  ///   - key: A number that is less than the keys of the rows.
  ///   - limit: The maximum number of rows.
  ///   - bytes: The size, in bytes of text, after which no further row is added.
  func rows(of entity: EntityIndex, after key: Int64, limit: Int, bytes: Int) throws(StoreError) -> RowBatch

  /// Returns the greatest key that an entity's rows have ever had; 0 for none.
  func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64

  /// Returns history transactions after a number, oldest first.
  func transactions(after number: Int64, limit: Int) throws(StoreError) -> [StoredTransaction]

  /// Returns the newest transaction's number, even if it was purged; 0 before the first one.
  func lastTransaction() throws(StoreError) -> Int64

  /// Returns the history's consumers.
  func allConsumers() throws(StoreError) -> [HistoryConsumer]
}

/// A new store that becomes another store's copy. Other processes see it only when it is complete.
public protocol StoreCopyTarget {
  /// Writes rows with their keys and versions.
  ///
  /// - Throws: ``StoreError/invalid(_:)`` if a row breaks a rule. No row is written then, and other rows can
  ///   be.
  func add(_ rows: RowBatch) throws(StoreError)

  /// Reserves all keys up to a number, so that new rows do not get them.
  func reserveKeys(through key: Int64, of entity: EntityIndex) throws(StoreError)

  /// Writes history transactions.
  func add(_ transactions: [StoredTransaction]) throws(StoreError)

  /// Writes the newest transaction's number, and the consumers.
  func finishHistory(at number: Int64, _ consumers: [HistoryConsumer]) throws(StoreError)
}

/// A history transaction, as stores keep it.
public struct StoredTransaction: Sendable, Equatable {
  /// The number in the store's history.
  public let number: Int64
  /// In seconds since 1970.
  public let date: Double
  /// The author, or nil; see ``HistoryTransaction``.
  public let author: String?
  /// The number of the store that has made it.
  public let process: Int64
  /// The changes in the form of ``HistoryEncoding``.
  public let changes: [UInt8]
  /// True if a consumer follows an entity that it changed; see ``HistoryOptions``.
  public let isFollowed: Bool

  /// Creates a value.
  public init(
    number: Int64, date: Double, author: String?, process: Int64, changes: [UInt8], isFollowed: Bool
  ) {
    (self.number, self.date, self.author, self.process) = (number, date, author, process)
    (self.changes, self.isFollowed) = (changes, isFollowed)
  }
}

/// Copies a whole store: rows with their keys and versions, the history with its numbers, and its consumers.
public struct StoreCopy {
  private let model: ManagedObjectModel
  /// The source's path or address, for messages.
  private let name: String
  private let progress: (Int) throws(StoreError) -> Void
  private var copied = 0

  /// The limits for a part in memory: its rows, its transactions, and its text in bytes.
  private static let (rowsOfPart, transactionsOfPart, bytesOfPart) = (200, 20, 8 << 20)

  /// Creates a copy that has not begun.
  ///
  /// - Parameters:
  ///   - model: The model of both stores.
  ///   - name: The source's path or address, for messages.
  ///   - progress: Called with the count of copied rows; an error ends the copy.
  public init(
    _ model: ManagedObjectModel, of name: String, progress: @escaping (Int) throws(StoreError) -> Void
  ) {
    (self.model, self.name, self.progress) = (model, name, progress)
  }

  /// Copies everything.
  ///
  /// - Returns: Each entity's row count.
  public mutating func run(
    from source: any StoreCopySource, to target: any StoreCopyTarget
  ) throws(StoreError) -> [EntityIndex: Int] {
    var counts: [EntityIndex: Int] = [:]
    for entity in model.entitiesByReference {
      let (count, last) = try copyRows(of: entity, from: source, to: target)
      counts[entity] = count
      // A file's key counter does not include keys that rows got after their insertion.
      try target.reserveKeys(through: max(last, source.lastKey(of: entity)), of: entity)
    }
    var number: Int64 = 0
    while true {
      let part = try source.transactions(after: number, limit: Self.transactionsOfPart)
      guard let last = part.last else { break }
      try target.add(part)
      try advance(part.count)
      number = last.number
    }
    try target.finishHistory(at: source.lastTransaction(), source.allConsumers())
    return counts
  }

  /// - Returns: The row count, and the last row's key.
  private mutating func copyRows(
    of entity: EntityIndex, from source: any StoreCopySource, to target: any StoreCopyTarget
  ) throws(StoreError) -> (count: Int, last: Int64) {
    var (count, key) = (0, Int64.min)
    while true {
      let rows = try source.rows(
        of: entity, after: key, limit: Self.rowsOfPart, bytes: Self.bytesOfPart)
      guard let last = rows.keys.last else { return (count, key) }
      try checkTypes(of: rows)
      try add(rows, to: target)
      try advance(rows.count)
      (count, key) = (count + rows.count, last)
    }
  }

  /// Writes rows. If that fails, writes them one by one to find the row that is refused.
  private func add(_ rows: RowBatch, to target: any StoreCopyTarget) throws(StoreError) {
    do throws(StoreError) {
      return try target.add(rows)
    } catch {
      guard error.isRefusal else { throw error }
    }
    for row in 0..<rows.count {
      do throws(StoreError) {
        try target.add(rows.row(row))
      } catch {
        switch error {
        case .invalid(let cause): throw refusal(of: row, rows, cause)
        case .validation(let violation): throw refusal(of: row, rows, "\(violation)")
        default: throw error
        }
      }
    }
  }

  private func refusal(of row: Int, _ rows: RowBatch, _ cause: String) -> StoreError {
    .invalid("\(name): row \(rows.keys[row]) of \(model[rows.entity].name) cannot be copied: \(cause)")
  }

  private mutating func advance(_ rows: Int) throws(StoreError) {
    copied += rows
    try progress(copied)
  }

  /// Checks that no value would be lost. Another program may have written a value with a type that the model
  /// does not expect.
  private func checkTypes(of rows: RowBatch) throws(StoreError) {
    let entity = model[rows.entity]
    for row in 0..<rows.count {
      for (place, column) in rows.columns.enumerated() {
        let attribute = entity.attributes[column]
        let fits =
          switch (rows.cell(row: row, column: place), attribute.type) {
          case (.null, _), (.integer, .integer), (.integer, .boolean), (.integer, .reference),
            (.integer, .real), (.integer, .secondsSince1970), (.real, .real), (.real, .secondsSince1970),
            (.date, .date), (.text, .text), (.bytes, .bytes):
            true
          default: false
          }
        guard fits else {
          throw refusal(
            of: row, rows,
            "the value of \(attribute.name) has the wrong type; newsimport store check names such rows")
        }
      }
    }
  }
}

extension RowBatch {
  /// Returns one row, with the same bytes.
  fileprivate func row(_ row: Int) -> RowBatch {
    var rows = RowBatch(entity: entity, columns: columns, bytes: bytes)
    rows.store = store
    rows.beginRow(key: keys[row], version: versions[row])
    for column in columns.indices { rows.append(cell(row: row, column: column)) }
    return rows
  }
}

extension ManagedObjectModel {
  /// The entities, ordered so that each follows the entities that it refers to.
  var entitiesByReference: [EntityIndex] {
    var ordered: [EntityIndex] = []
    var seen: Set<EntityIndex> = []
    func add(_ index: EntityIndex) {
      guard seen.insert(index).inserted else { return }
      for attribute in self[index].attributes {
        if let destination = attribute.destination, let other = self.index(named: destination) { add(other) }
      }
      ordered.append(index)
    }
    for place in entities.indices { add(EntityIndex(place)) }
    return ordered
  }
}
