import TextOutput

extension ManagedObjectContext {
  /// Writes the objects that a request asks for as JSON Lines (jsonlines.org), unsaved changes included.
  ///
  /// Each line is a JSON object: `id` with the object's number (below zero before its first save), then the attributes
  /// in the order of the model. Dates are ISO 8601 in UTC, bytes base64, a reference is the other's number; no value,
  /// and a number that JSON does not have, is null. An attribute that is called `id` takes the place of the number.
  ///
  /// The IDs are read first, then the rows a page at a time: of the objects no more than a page is in memory. A row
  /// that is saved meanwhile is written as it is then, one that is deleted is left out.
  /// - Parameters:
  ///   - request: Which objects, and their order.
  ///   - pageSize: How many rows are read at once; the request's batch size where it has one.
  ///   - write: Called with each line, its line feed included.
  /// - Throws: What `write` throws, as it is; ``StoreError`` when the store cannot be read. ``jsonLines(_:pageSize:)``
  ///   throws that alone.
  public func exportJSONLines<Object: ManagedObject>(
    _ request: FetchRequest<Object>, pageSize: Int = 500, _ write: (String) throws -> Void
  ) throws {
    var lines = try jsonLines(request, pageSize: pageSize)
    while let line = try lines.next() { try write(line + "\n") }
  }

  /// The lines of ``exportJSONLines(_:pageSize:_:)``, for a caller who takes them one by one.
  ///
  /// - Throws: What keeps the store from being read, or a key path that is no attribute.
  public func jsonLines<Object: ManagedObject>(
    _ request: FetchRequest<Object>, pageSize: Int = 500
  ) throws(StoreError) -> JSONLines {
    let entity = try model.entity(of: Object.self)
    let size = request.batchSize > 0 ? request.batchSize : pageSize
    return JSONLines(context: self, entity: entity, ids: try fetchIDs(request), pageSize: max(size, 1))
  }
}

/// The objects of a request as lines of JSON, read a page at a time.
///
/// It belongs to its context's queue, as objects do.
public struct JSONLines {
  private let context: ManagedObjectContext
  private let entity: EntityIndex
  private let ids: [ManagedObjectID]
  private let pageSize: Int
  private let columns: [(key: String, type: AttributeType)]
  private let namesID: Bool
  private var nextPage = 0
  private var page: (rows: RowBatch, order: ArraySlice<Int>)?

  init(context: ManagedObjectContext, entity: EntityIndex, ids: [ManagedObjectID], pageSize: Int) {
    self.context = context
    self.entity = entity
    self.ids = ids
    self.pageSize = pageSize
    let attributes = context.model[entity].attributes
    columns = attributes.map { (JSONText.quoted($0.name), $0.type) }
    namesID = !attributes.contains { $0.name == "id" }
  }

  /// The next line, without a line feed; nil after the last.
  ///
  /// - Throws: What keeps the store from being read; the next call tries the same page again.
  public mutating func next() throws(StoreError) -> String? {
    while page?.order.isEmpty ?? true {
      guard nextPage < ids.count else { return nil }
      page = try read(ids[nextPage..<min(nextPage + pageSize, ids.count)])
      nextPage += pageSize
    }
    guard let row = page?.order.popFirst(), let rows = page?.rows else { return nil }
    return line(row, of: rows)
  }

  private func read(
    _ wanted: ArraySlice<ManagedObjectID>
  ) throws(StoreError) -> (rows: RowBatch, order: ArraySlice<Int>) {
    let rows = try context.rows(
      StoreQuery(entity: entity, predicate: .ids(wanted.map { context.permanentIDs[$0] })))
    let places = Dictionary(
      rows.ids.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    // A save may have ended while the rows were read: they have other IDs then.
    return (rows, wanted.compactMap { places[$0] ?? places[context.permanentIDs[$0]] }[...])
  }

  private func line(_ row: Int, of rows: RowBatch) -> String {
    var line = namesID ? "{\"id\":\(rows.id(row: row).key)" : "{"
    for (column, (key, type)) in columns.enumerated() {
      if line.utf8.count > 1 { line += "," }
      line += key
      line += ":"
      line += rows.value(row: row, column: column, model: context.model).json(as: type)
    }
    return line + "}"
  }
}

@available(*, unavailable, message: "lines are read on the context's queue; export inside perform")
extension JSONLines: Sendable {}

extension AttributeValue {
  fileprivate func json(as type: AttributeType) -> String {
    switch self {
    case .null, .reference(.none): return "null"
    case .text(let text): return JSONText.quoted(text)
    case .real(let number):
      if type == .date { return ISODate.text(number).map { "\"\($0)\"" } ?? "null" }
      return number.isFinite ? "\(number)" : "null"
    case .integer, .reference:
      let text = text(as: type)
      return type == .date ? "\"\(text)\"" : text
    case .bytes: return "\"\(text(as: type))\""
    }
  }
}
