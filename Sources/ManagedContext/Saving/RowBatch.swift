/// Many rows of one entity, with their text and bytes in one arena.
///
/// Stores return rows in this format, and batches are written from it. A cell is an offset and a length in
/// ``bytes``, or a number. Text never becomes a `String` between a parser and a store. The arrays are shared,
/// not copied, when a batch is passed on.
public struct RowBatch: Sendable {
  /// One value in a row.
  public enum Cell: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number, a Boolean, whole seconds since 1970 or a referenced row's key.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A date, in seconds since 2001 (UTC).
    case date(Double)
    /// UTF-8 text at an offset in the arena.
    case text(offset: UInt32, count: UInt32)
    /// Bytes at an offset in the arena.
    case bytes(offset: UInt32, count: UInt32)
  }

  /// The rows' entity.
  public let entity: EntityIndex
  /// The attributes (by index) that each row has a cell for, in cell order.
  public let columns: [Int]
  /// The arena.
  public var bytes: [UInt8]
  /// The cells, row by row, `columns.count` for each.
  public private(set) var cells: [Cell] = []
  /// Each row's key in its store; 0 before its first save.
  public private(set) var keys: [Int64] = []
  /// Each row's version; 0 if it was not read from a store.
  public private(set) var versions: [Int64] = []
  /// The store that all rows come from; ``StoreNumber/none`` for rows to be written.
  public var store = StoreNumber.none
  /// Each row's store if they come from several stores; otherwise empty.
  private var stores: [StoreNumber] = []
  /// The store that references lead to in rows without a store: the first reference decides.
  private var referencedStore = StoreNumber.none
  /// The target stores for references that do not lead to the expected store, by cell position.
  private var foreignReferences: [Int: StoreNumber] = [:]
  /// True if an attribute without a column is null in every row; see ``withoutEmptyColumns()``.
  private(set) var leavesOutNulls = false

  /// Creates an empty batch over an arena, which may already contain bytes.
  public init(entity: EntityIndex, columns: [Int], bytes: [UInt8] = []) {
    self.entity = entity
    self.columns = columns
    self.bytes = bytes
  }

  /// Creates a batch of rows that a store has read.
  ///
  /// - Parameters:
  ///   - entity: The rows' entity.
  ///   - columns: The attributes (by index) that each row has a cell for, in cell order.
  ///   - bytes: The arena.
  ///   - cells: The cells, row by row, `columns.count` for each.
  ///   - keys: Each row's key.
  ///   - versions: Each row's version.
  public init(
    entity: EntityIndex, columns: [Int], bytes: [UInt8], cells: [Cell], keys: [Int64], versions: [Int64]
  ) {
    precondition(cells.count == keys.count * columns.count && versions.count == keys.count)
    self.init(entity: entity, columns: columns, bytes: bytes)
    (self.cells, self.keys, self.versions) = (cells, keys, versions)
  }

  /// Removes all rows and bytes, and keeps the memory for new ones.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    versions.removeAll(keepingCapacity: true)
    stores.removeAll(keepingCapacity: true)
    if !foreignReferences.isEmpty { foreignReferences = [:] }
    referencedStore = .none
  }

  /// Reserves space for additional rows.
  public mutating func reserveCapacity(_ rows: Int) {
    cells.reserveCapacity(cells.count + rows * columns.count)
    keys.reserveCapacity(keys.count + rows)
    versions.reserveCapacity(versions.count + rows)
  }

  /// The number of rows.
  public var count: Int { keys.count }

  /// The approximate memory that the batch holds, in bytes.
  public var byteCount: Int {
    bytes.capacity + cells.capacity * MemoryLayout<Cell>.stride + keys.capacity * 2
      * MemoryLayout<Int64>.stride
  }

  /// Returns the rows without the columns that are null in all of them, for long-term storage in memory.
  ///
  /// The rows must have been read with all the entity's attributes.
  /// ``ManagedObjectContext/object(_:of:row:)`` creates objects from them.
  public func withoutEmptyColumns() -> RowBatch {
    let used = columns.indices.filter { column in
      keys.indices.contains { if case .null = cell(row: $0, column: column) { false } else { true } }
    }
    var lean = RowBatch(entity: entity, columns: used.map { columns[$0] }, bytes: bytes)
    lean.cells.reserveCapacity(used.count * count)
    (lean.store, lean.leavesOutNulls) = (store, true)
    for row in keys.indices {
      lean.beginRow(id(row: row), version: versions[row])
      for column in used { lean.append(cell(row: row, column: column), of: self, row: row, column: column) }
    }
    return lean
  }

  /// True if all rows and the rows that they refer to are in one store.
  var isFromOneStore: Bool { stores.isEmpty && foreignReferences.isEmpty && store != .none }

  /// Returns some rows of one store, with only their own bytes in the arena.
  func part(_ range: Range<Int>) -> RowBatch {
    var part = RowBatch(entity: entity, columns: columns)
    part.store = store
    part.keys = Array(keys[range])
    part.versions = Array(versions[range])
    part.cells = Array(cells[range.lowerBound * columns.count..<range.upperBound * columns.count])
    // In the order in which a store reads them, all bytes of the rows are beside each other.
    var (start, end, size) = (UInt32.max, UInt32(0), 0)
    for cell in part.cells {
      guard let (offset, count) = cell.place, count > 0 else { continue }
      (start, end, size) = (min(start, offset), max(end, offset + count), size + Int(count))
    }
    guard size > 0, Int(end - start) == size else {
      var arena: [UInt8] = []
      arena.reserveCapacity(size)
      part.moveBytes { offset, count in
        defer { arena += bytes[Int(offset)..<Int(offset) + Int(count)] }
        return UInt32(arena.count)
      }
      part.bytes = arena
      return part
    }
    part.bytes = Array(bytes[Int(start)..<Int(end)])
    part.moveBytes { offset, count in count > 0 ? offset - start : 0 }
    return part
  }

  /// Changes the offsets in the arena.
  private mutating func moveBytes(_ move: (_ offset: UInt32, _ count: UInt32) -> UInt32) {
    for place in cells.indices {
      switch cells[place] {
      case .text(let offset, let count):
        cells[place] = .text(offset: move(offset, count), count: count)
      case .bytes(let offset, let count):
        cells[place] = .bytes(offset: move(offset, count), count: count)
      case .null, .integer, .real, .date: break
      }
    }
  }

  /// Begins a row. Exactly `columns.count` calls to `append` must follow, one for each cell.
  public mutating func beginRow(key: Int64 = 0, version: Int64 = 0) {
    keys.append(key)
    versions.append(version)
  }

  /// Begins a row in a batch that may come from several stores.
  mutating func beginRow(_ id: ManagedObjectID, version: Int64) {
    if stores.isEmpty && id.store != store {
      if keys.isEmpty { store = id.store } else { stores = keys.map { _ in store } }
    }
    if !stores.isEmpty { stores.append(id.store) }
    beginRow(key: id.key, version: version)
  }

  /// Returns a row's ID. Rows are counted from 0.
  public func id(row: Int) -> ManagedObjectID {
    ManagedObjectID(entity: entity, store: stores.isEmpty ? store : stores[row], key: keys[row])
  }

  /// Replaces the temporary IDs of rows.
  mutating func replaceTemporaryIDs(_ permanent: (ManagedObjectID) -> ManagedObjectID) {
    guard keys.indices.contains(where: { id(row: $0).isTemporary }) else { return }
    let ids = ids.map(permanent)
    (keys, stores) = (ids.map(\.key), ids.map(\.store))
  }

  /// The IDs of all rows.
  public var ids: [ManagedObjectID] { keys.indices.map(id(row:)) }

  /// Adds the next cell of the current row.
  public mutating func append(_ cell: Cell) {
    cells.append(cell)
  }

  /// Adds a text cell, copying its UTF-8 into the arena.
  public mutating func append(text: String) {
    let offset = UInt32(bytes.count)
    bytes.append(contentsOf: text.utf8)
    cells.append(.text(offset: offset, count: UInt32(bytes.count) - offset))
  }

  /// Adds a whole number.
  public mutating func append(integer: Int64) {
    cells.append(.integer(integer))
  }

  /// Adds a number with a fraction.
  public mutating func append(real: Double) {
    cells.append(.real(real))
  }

  /// Adds a value as a cell.
  public mutating func append(_ value: AttributeValue) {
    switch value {
    case .null: cells.append(.null)
    case .integer(let number): cells.append(.integer(number))
    case .real(let number): cells.append(.real(number))
    case .date(let seconds): cells.append(.date(seconds))
    case .text(let text): append(text: text)
    case .bytes(let content):
      let offset = UInt32(bytes.count)
      bytes.append(contentsOf: content)
      cells.append(.bytes(offset: offset, count: UInt32(content.count)))
    case .reference(let id):
      noteReference(to: id.store)
      cells.append(.integer(id.key))
    }
  }

  /// Adds a cell from another batch. Its bytes are in this arena at the same offset.
  mutating func append(_ cell: Cell, of other: RowBatch, row: Int, column: Int) {
    if case .integer = cell { noteReference(to: other.storeOfReference(row: row, column: column)) }
    cells.append(cell)
  }

  /// Returns whether an appended value refers to a row in another store.
  func refersOutside(of store: StoreNumber) -> Bool {
    referencedStore != .none && referencedStore != store || foreignReferences.values.contains { $0 != store }
  }

  /// Returns whether a column contains a reference to a row in another store.
  func refers(_ column: Int, outsideOf store: StoreNumber) -> Bool {
    keys.indices.contains { row in
      guard case .integer(let key) = cell(row: row, column: column), key >= 0 else { return false }
      let found = storeOfReference(row: row, column: column)
      return found != .none && found != store
    }
  }

  /// Records the target store of the next cell, if it is a reference.
  private mutating func noteReference(to store: StoreNumber) {
    guard store != .none else { return }
    let own = stores.last ?? self.store
    if own == .none && referencedStore == .none { referencedStore = store }
    if store != (own == .none ? referencedStore : own) { foreignReferences[cells.count] = store }
  }

  @usableFromInline
  func storeOfReference(row: Int, column: Int) -> StoreNumber {
    if !foreignReferences.isEmpty, let store = foreignReferences[row * columns.count + column] {
      return store
    }
    let own = stores.isEmpty ? store : stores[row]
    return own == .none ? referencedStore : own
  }

  /// Returns the cell in a row and a column, both counted from 0.
  @inlinable
  public func cell(row: Int, column: Int) -> Cell {
    cells[row * columns.count + column]
  }

  /// Returns the value in a row and a column. The model distinguishes references from numbers.
  public func value(row: Int, column: Int, model: ManagedObjectModel) -> AttributeValue {
    value(row: row, column: column, destination: model.destination(of: columns[column], in: entity))
  }

  /// Returns the value in a row and a column.
  ///
  /// - Parameter destination: The entity that the attribute leads to; nil for other attributes.
  @inlinable
  func value(row: Int, column: Int, destination: EntityIndex?) -> AttributeValue {
    switch cell(row: row, column: column) {
    case .null: return .null
    case .real(let number): return .real(number)
    case .date(let seconds): return .date(seconds)
    case .text(let offset, let count): return .text(string(offset: offset, count: count))
    case .bytes(let offset, let count): return .bytes(Array(bytes[Int(offset)..<Int(offset) + Int(count)]))
    case .integer(let number):
      guard let destination else { return .integer(number) }
      let store = number < 0 ? StoreNumber.none : storeOfReference(row: row, column: column)
      return .reference(ManagedObjectID(entity: destination, store: store, key: number))
    }
  }

  /// Returns the entity that each column's attribute leads to; nil for other attributes.
  @usableFromInline
  func destinations(_ model: ManagedObjectModel) -> [EntityIndex?] {
    columns.map { model.destination(of: $0, in: entity) }
  }

  /// Returns the text at a position in the arena. Invalid UTF-8 reads as U+FFFD.
  @inlinable
  public func string(offset: UInt32, count: UInt32) -> String {
    String(decoding: bytes[Int(offset)..<Int(offset) + Int(count)], as: UTF8.self)
  }
}

extension RowBatch.Cell {
  /// The offset and length of a text or bytes in the arena; nil for another value.
  fileprivate var place: (offset: UInt32, count: UInt32)? {
    switch self {
    case .text(let offset, let count), .bytes(let offset, let count): (offset, count)
    case .null, .integer, .real, .date: nil
    }
  }
}
