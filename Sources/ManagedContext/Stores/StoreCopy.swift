/// One state of a store, from which a copy is made.
package protocol StoreCopySource {
  /// Returns rows with keys greater than a number, in the order of keys, with all attributes. A long text of a version is whole.
  ///
  /// - Parameters:
  ///   - limit: The largest number of rows.
  ///   - bytes: The size of their texts after which no further row is added.
  func rows(of entity: EntityIndex, after key: Int64, limit: Int, bytes: Int) throws(StoreError) -> RowBatch

  /// Returns the greatest key that was ever given to a row of an entity; 0 for none.
  func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64

  /// Returns transactions of the history after a number, oldest first.
  func transactions(after number: Int64, limit: Int) throws(StoreError) -> [StoredTransaction]

  /// Returns the number of the newest transaction, even if it was purged; 0 before the first one.
  func lastTransaction() throws(StoreError) -> Int64

  /// Returns the consumers of the history.
  func allConsumers() throws(StoreError) -> [HistoryConsumer]
}

/// A new store that becomes a copy of another one. It exists for others only when it is complete.
package protocol StoreCopyTarget {
  /// Writes rows with their keys and versions.
  ///
  /// - Throws: ``StoreError/invalid(_:)`` if a row breaks a rule. None of them is written then, and others can be.
  func add(_ rows: RowBatch) throws(StoreError)

  /// Prevents that the keys up to a number are given to new rows.
  func reserveKeys(through key: Int64, of entity: EntityIndex) throws(StoreError)

  /// Writes transactions of the history.
  func add(_ transactions: [StoredTransaction]) throws(StoreError)

  /// Writes the number of the newest transaction, and the consumers.
  func finishHistory(at number: Int64, _ consumers: [HistoryConsumer]) throws(StoreError)
}

/// A transaction of the history as stores keep it.
package struct StoredTransaction: Sendable, Equatable {
  package let number: Int64
  /// In seconds since 1970.
  package let date: Double
  package let author: String?
  /// The number of the store that has made it.
  package let process: Int64
  /// The changes in the form of ``HistoryEncoding``.
  package let changes: [UInt8]
  package let isFollowed: Bool

  package init(
    number: Int64, date: Double, author: String?, process: Int64, changes: [UInt8], isFollowed: Bool
  ) {
    (self.number, self.date, self.author, self.process) = (number, date, author, process)
    (self.changes, self.isFollowed) = (changes, isFollowed)
  }
}

/// Copies a store with everything in it: rows with their keys and versions, the history with its numbers, and its consumers.
package struct StoreCopy {
  private let model: ManagedObjectModel
  /// The path or the address of the source, for messages.
  private let name: String
  private let progress: (Int) throws(StoreError) -> Void
  private var copied = 0

  /// The numbers of rows and of transactions that are in memory at a time, and the size of their texts in bytes.
  private static let (rowsOfPart, transactionsOfPart, bytesOfPart) = (200, 20, 8 << 20)

  /// - Parameters:
  ///   - name: The path or the address of the source, for messages.
  ///   - progress: Called with the number of copied rows; an error ends the copy.
  package init(
    _ model: ManagedObjectModel, of name: String, progress: @escaping (Int) throws(StoreError) -> Void
  ) {
    (self.model, self.name, self.progress) = (model, name, progress)
  }

  /// Copies everything.
  ///
  /// - Returns: The number of rows of each entity.
  package mutating func run(
    from source: any StoreCopySource, to target: any StoreCopyTarget
  ) throws(StoreError) -> [EntityIndex: Int] {
    var counts: [EntityIndex: Int] = [:]
    for entity in model.entitiesByReference {
      let (count, last) = try copyRows(of: entity, from: source, to: target)
      counts[entity] = count
      // A file does not count the keys that rows get later than at their insertion.
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

  /// - Returns: The number of rows, and the key of the last one.
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

  /// Writes rows. If they cannot be written, it finds out which one is the reason.
  private func add(_ rows: RowBatch, to target: any StoreCopyTarget) throws(StoreError) {
    do throws(StoreError) {
      return try target.add(rows)
    } catch {
      guard case .invalid = error else { throw error }
    }
    for row in 0..<rows.count {
      do throws(StoreError) {
        try target.add(rows.row(row))
      } catch {
        guard case .invalid(let cause) = error else { throw error }
        throw refusal(of: row, rows, cause)
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

  /// Checks that no value would be lost, because another program has written it with another type than that of the model.
  private func checkTypes(of rows: RowBatch) throws(StoreError) {
    let entity = model[rows.entity]
    for row in 0..<rows.count {
      for (place, column) in rows.columns.enumerated() {
        let attribute = entity.attributes[column]
        let fits =
          switch (rows.cell(row: row, column: place), attribute.type) {
          case (.null, _), (.integer, .integer), (.integer, .boolean), (.integer, .reference),
            (.integer, .real),
            (.integer, .date), (.real, .real), (.real, .date), (.text, .text), (.bytes, .bytes):
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
  /// Returns one of the rows, with the same bytes.
  fileprivate func row(_ row: Int) -> RowBatch {
    var rows = RowBatch(entity: entity, columns: columns, bytes: bytes)
    rows.store = store
    rows.beginRow(key: keys[row], version: versions[row])
    for column in columns.indices { rows.append(cell(row: row, column: column)) }
    return rows
  }
}

extension ManagedObjectModel {
  /// The entities in an order in which each follows those that it refers to.
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
