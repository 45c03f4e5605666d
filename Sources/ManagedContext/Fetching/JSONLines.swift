import TextOutput

extension ManagedObjectContext {
  /// Writes the objects of a request as JSON Lines (jsonlines.org), including unsaved changes.
  ///
  /// Each line is a JSON object: `id` with the object's key (negative before its first save), then the attributes in
  /// the order of the model. Dates are ISO 8601 in UTC, bytes are base64, and a reference is the key of the other
  /// object. Missing values, and numbers unknown to JSON, are null. An attribute named `id` replaces the key.
  ///
  /// The IDs are read first, then the rows page by page, so that at most one page of rows is in memory. A row that is
  /// saved during the export is written as it is when its page is read. A row that is deleted before that is left out.
  ///
  /// - Parameters:
  ///   - request: The objects to write, and their order.
  ///   - pageSize: The number of rows read at once, unless the request has a batch size.
  ///   - write: Called with each line, including its line feed.
  /// - Throws: Any error that `write` throws, and ``StoreError`` if the store cannot be read.
  ///   ``jsonLines(_:pageSize:)`` throws only ``StoreError``.
  public func exportJSONLines<Object: ManagedObject>(
    _ request: FetchRequest<Object>, pageSize: Int = 500, _ write: (String) throws -> Void
  ) throws {
    var lines = try jsonLines(request, pageSize: pageSize)
    while let line = try lines.next() { try write(line + "\n") }
  }

  /// Returns the lines of ``exportJSONLines(_:pageSize:_:)``, for callers that read them one by one.
  ///
  /// - Throws: The error that prevented reading the store, or an error for a key path that is not an attribute.
  public func jsonLines<Object: ManagedObject>(
    _ request: FetchRequest<Object>, pageSize: Int = 500
  ) throws(StoreError) -> JSONLines {
    let entity = try model.entity(of: Object.self)
    let size = request.batchSize > 0 ? request.batchSize : pageSize
    return JSONLines(context: self, entity: entity, ids: try fetchIDs(request), pageSize: max(size, 1))
  }
}

/// The objects of a request as lines of JSON, read page by page.
///
/// Like managed objects, it may only be used on its context's queue.
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

  /// Returns the next line, without a line feed; nil after the last one.
  ///
  /// - Throws: The error that prevented reading the store. The next call tries the same page again.
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
    // A save that ended while the rows were read has given its objects permanent IDs.
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
