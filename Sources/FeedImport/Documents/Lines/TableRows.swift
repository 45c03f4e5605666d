import ManagedContext
import NewsModel
import TextOutput

/// Rows of one table that were read from lines and wait to be saved.
struct TableRows {
  /// The reason why a line is not a row.
  struct Mistake: Error, Equatable {
    let cause: String
  }

  /// The article of a version.
  struct Owner {
    let feed: ManagedObjectID
    let guid: [UInt8]
  }

  let table: EntityIndex
  private(set) var rows: RowBatch
  /// The number that each row had in the store that wrote it.
  private(set) var numbers: [Int64] = []
  /// Which rows have each of the marks, for articles.
  private(set) var marks: [Set<ArticleMark>] = []
  /// The feed and the guid of the article of each version.
  private(set) var owners: [Owner] = []
  private let entity: EntityDescription
  /// The name of each attribute, as the bytes of a key.
  private let keys: [[UInt8]]
  /// The kind of the JSON in each attribute; nil for other texts.
  private let shapes: [JSONShape?]
  /// The cells of the row that is being read.
  private var cells: [RowBatch.Cell] = []

  /// The rows and bytes of one save.
  private static let mostRows = 1000
  private static let mostBytes = 1 << 20

  init(_ table: EntityIndex) {
    self.table = table
    entity = NewsModel.model[table]
    keys = entity.attributes.map { Array($0.name.utf8) }
    shapes = entity.attributes.map { ExportFormat.shape(of: $0, of: table) }
    rows = RowBatch(entity: table, columns: Array(entity.attributes.indices))
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// True if the rows should be saved before more are added.
  var isFull: Bool { numbers.count >= Self.mostRows || rows.bytes.count >= Self.mostBytes }

  mutating func removeAll() {
    rows = RowBatch(entity: table, columns: rows.columns)
    rows.reserveCapacity(Self.mostRows)
    (numbers, marks, owners) = ([], [], [])
  }

  /// Adds the row of a line.
  ///
  /// - Parameter references: Returns the present ID for the number of a row that an attribute refers to; nil if it is unknown.
  /// - Throws: ``Mistake`` if the line is no row of the table. Nothing is added then.
  mutating func add(
    _ line: Span<UInt8>, references: (AttributeDescription, Int64) -> ManagedObjectID?
  ) throws(Mistake) {
    cells = entity.attributes.map { Self.cell($0.defaultValue) }
    let arenaEnd = rows.bytes.count
    var mistake: Mistake?
    var number: Int64 = 0
    var own: Set<ArticleMark> = []
    var owner: (feed: ManagedObjectID?, guid: [UInt8]) = (nil, [])
    var next = 0
    var targets: [(Int, ManagedObjectID)] = []
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line) { key, value in
        if mistake != nil { return }
        if next >= keys.count || !Self.isEqual(line, key, keys[next]) {
          guard let found = keys.firstIndex(where: { Self.isEqual(line, key, $0) }) else {
            if table == ExportFormat.versions {
              Self.readOwner(line, key, value, &owner, references)
            }
            readOther(line, key, value, &number, &own)
            return
          }
          next = found
        }
        let attribute = entity.attributes[next]
        if attribute.type == .reference, case .number = value {
          guard let old = Self.integer(line, value), let id = references(attribute, old) else {
            mistake = Mistake(
              cause:
                "“\(attribute.name)” refers to a \(attribute.destination ?? "row") that no line before it has"
            )
            return
          }
          targets.append((next, id))
          cells[next] = .integer(id.key)
        } else if let cell = cell(line, value, attribute.type, shapes[next]) {
          cells[next] = cell
        } else {
          let expected = shapes[next].map(Self.name) ?? Self.name(of: attribute.type)
          mistake = Mistake(cause: "“\(attribute.name)” is not \(expected)")
        }
        next += 1
      }
    } catch {
      mistake = mistake ?? Mistake(cause: "not JSON after \(error.position) bytes")
    }
    for (index, attribute) in entity.attributes.enumerated()
    where mistake == nil && !attribute.isOptional && cells[index] == .null {
      mistake = Mistake(cause: "“\(attribute.name)” is missing")
    }
    if table == ExportFormat.versions, mistake == nil, owner.feed == nil || owner.guid.isEmpty {
      mistake = Mistake(cause: "“\(ExportFormat.feedKey)” and “\(ExportFormat.guidKey)” name no article")
    }
    if let mistake {
      rows.bytes.removeLast(rows.bytes.count - arenaEnd)
      throw mistake
    }
    rows.beginRow()
    for (index, cell) in cells.enumerated() {
      if let target = targets.first(where: { $0.0 == index }) {
        rows.append(.reference(target.1))
      } else {
        rows.append(cell)
      }
    }
    numbers.append(number)
    if table == NewsModel.Place.article { marks.append(own) }
    if table == ExportFormat.versions, let feed = owner.feed {
      owners.append(Owner(feed: feed, guid: owner.guid))
    }
  }

  /// Reads the feed or the guid of a version.
  private static func readOwner(
    _ line: Span<UInt8>, _ key: Range<Int>, _ value: JSONMembers.Value,
    _ owner: inout (feed: ManagedObjectID?, guid: [UInt8]),
    _ references: (AttributeDescription, Int64) -> ManagedObjectID?
  ) {
    switch value {
    case .number where isEqual(line, key, feedKey):
      let feed = NewsModel.model[NewsModel.Place.article].attributes[Article.Key.feed.index]
      owner.feed = integer(line, value).flatMap { references(feed, $0) }
    case .string(let range, _) where isEqual(line, key, guidKey):
      JSONMembers.append(line, range, to: &owner.guid)
    default: break
    }
  }

  private func readOther(
    _ line: Span<UInt8>, _ key: Range<Int>, _ value: JSONMembers.Value, _ number: inout Int64,
    _ own: inout Set<ArticleMark>
  ) {
    if Self.isEqual(line, key, Self.idKey) {
      // A larger key would leave no numbers for later rows, because SQLite does not use one again.
      number = Self.integer(line, value).flatMap { Self.usualKeys.contains($0) ? $0 : nil } ?? 0
    } else if value == .bool(true), Self.isEqual(line, key, Self.readKey) {
      own.insert(.read)
    } else if value == .bool(true), Self.isEqual(line, key, Self.starredKey) {
      own.insert(.starred)
    }
  }

  private static let usualKeys: ClosedRange<Int64> = 1...(1 << 53)
  private static let feedKey = Array(ExportFormat.feedKey.utf8)
  private static let guidKey = Array(ExportFormat.guidKey.utf8)
  private static let idKey = Array("id".utf8)
  private static let readKey = Array("read".utf8)
  private static let starredKey = Array("starred".utf8)

  // MARK: Reading rows

  /// Sets columns to null in all rows.
  mutating func clear(_ columns: [Int]) {
    var cleared = RowBatch(entity: table, columns: rows.columns, bytes: rows.bytes)
    for row in 0..<rows.count {
      cleared.beginRow()
      for column in rows.columns.indices {
        cleared.append(columns.contains(column) ? .null : rows.cell(row: row, column: column))
      }
    }
    rows = cleared
  }

  /// Removes rows.
  mutating func remove(_ isUnwanted: (Int) -> Bool) {
    let kept = (0..<rows.count).filter { !isUnwanted($0) }
    if kept.count == rows.count { return }
    var left = RowBatch(entity: table, columns: rows.columns, bytes: rows.bytes)
    for row in kept {
      left.beginRow()
      for column in rows.columns.indices { left.append(rows.cell(row: row, column: column)) }
    }
    rows = left
    numbers = kept.map { numbers[$0] }
    if !marks.isEmpty { marks = kept.map { marks[$0] } }
  }

  /// Returns the texts of a column.
  func texts(at column: Int) -> [String] {
    (0..<rows.count).map { row in
      guard case .text(let offset, let count) = rows.cell(row: row, column: column) else { return "" }
      return rows.string(offset: offset, count: count)
    }
  }

  /// The feeds and guids of the rows of articles.
  var articles: [(feed: ManagedObjectID, guid: String)] {
    (0..<rows.count).map { row in
      let article = RowValues(rows, row: row, model: NewsModel.model)
      return (article[Article.Key.feed], article[Article.Key.guid])
    }
  }

  /// The articles with marks.
  var markedArticles: [(number: Int64, feed: ManagedObjectID, guid: String, marks: Set<ArticleMark>)] {
    marks.indices.filter { !marks[$0].isEmpty }.map { row in
      let article = RowValues(rows, row: row, model: NewsModel.model)
      return (numbers[row], article[Article.Key.feed], article[Article.Key.guid], marks[row])
    }
  }

  /// The hashes of the guids of articles, as tombstones have them.
  var guidHashes: [Int64] {
    (0..<rows.count).map { row in
      guard case .text(let offset, let count) = rows.cell(row: row, column: Article.Key.guid.index) else {
        return 0
      }
      let guid = rows.bytes.span.extracting(Int(offset)..<Int(offset) + Int(count))
      return Int64(bitPattern: ContentHash.of(guid))
    }
  }

  // MARK: Values

  /// Returns the cell of a value; nil if it has another type.
  private mutating func cell(
    _ line: Span<UInt8>, _ value: JSONMembers.Value, _ type: AttributeType, _ shape: JSONShape?
  ) -> RowBatch.Cell? {
    if let shape { return list(line, value, shape) }
    switch (type, value) {
    case (_, .null): return .null
    case (.text, .string(let range, let hasEscapes)): return text(line, range, hasEscapes)
    case (.integer, .number): return Self.integer(line, value).map { .integer($0) }
    case (.boolean, .bool(let isTrue)): return .integer(isTrue ? 1 : 0)
    case (.real, .number(let range)): return Self.real(line, range).map { .real($0) }
    case (.date, .number(let range)):
      return Self.integer(line, value).map { .integer($0) } ?? Self.real(line, range).map { .real($0) }
    case (.date, .string(let range, false)):
      let date = line.extracting(range)
      return ISODate.seconds(date).map { .integer($0) } ?? ISODate.exactSeconds(date).map { .real($0) }
    case (.bytes, .string(let range, false)):
      guard let bytes = Self.hexadecimal(line.extracting(range)) else { return nil }
      let start = rows.bytes.count
      rows.bytes += bytes
      return .bytes(offset: UInt32(start), count: UInt32(bytes.count))
    default: return nil
    }
  }

  /// Returns the cell of an array or object, null if it has no elements; nil if the value is none of this kind.
  private mutating func list(
    _ line: Span<UInt8>, _ value: JSONMembers.Value, _ shape: JSONShape
  ) -> RowBatch.Cell? {
    let start = rows.bytes.count
    switch value {
    case .null: return .null
    case .nested(let range) where line[range.lowerBound] == shape.rawValue:
      // In strings there are no control characters.
      for index in range { rows.bytes.append(max(line[index], UInt8(ascii: " "))) }
    case .string(let range, _):
      JSONMembers.append(line, range, to: &rows.bytes)
      guard shape.matches(rows.bytes.span.extracting(start..<rows.bytes.count)) else { return nil }
    default: return nil
    }
    let written = start..<rows.bytes.count
    if JSONShape.isEmpty(rows.bytes.span.extracting(written)) { return .null }
    return .text(offset: UInt32(start), count: UInt32(written.count))
  }

  private mutating func text(_ line: Span<UInt8>, _ range: Range<Int>, _ hasEscapes: Bool) -> RowBatch.Cell {
    let start = rows.bytes.count
    if hasEscapes {
      JSONMembers.append(line, range, to: &rows.bytes)
    } else {
      unsafe line.extracting(range).withUnsafeBufferPointer { unsafe rows.bytes.append(contentsOf: $0) }
    }
    return .text(offset: UInt32(start), count: UInt32(rows.bytes.count - start))
  }

  private static func integer(_ line: Span<UInt8>, _ value: JSONMembers.Value) -> Int64? {
    guard case .number(let range) = value else { return nil }
    var number: Int64 = 0
    let isNegative = line[range.lowerBound] == UInt8(ascii: "-")
    for index in (isNegative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[index] else { return nil }
      let digit = Int64(line[index] - UInt8(ascii: "0"))
      let (tens, isTooLong) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooGreat) = tens.subtractingReportingOverflow(digit)
      guard !isTooLong, !isTooGreat else { return nil }
      number = sum
    }
    // The least number has no positive counterpart.
    return isNegative ? number : number == .min ? nil : -number
  }

  private static func real(_ line: Span<UInt8>, _ range: Range<Int>) -> Double? {
    guard range.count <= 40 else { return nil }
    var text = ""
    for index in range { text.unicodeScalars.append(Unicode.Scalar(line[index])) }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func hexadecimal(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = Character(Unicode.Scalar(text[index])).hexDigitValue,
        let low = Character(Unicode.Scalar(text[index + 1])).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }

  private static func cell(_ value: AttributeValue) -> RowBatch.Cell {
    switch value {
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    default: .null
    }
  }

  private static func isEqual(_ line: Span<UInt8>, _ range: Range<Int>, _ key: [UInt8]) -> Bool {
    guard range.count == key.count else { return false }
    for index in key.indices where line[range.lowerBound + index] != key[index] { return false }
    return true
  }

  private static func name(of shape: JSONShape) -> String {
    switch shape {
    case .array: "a list"
    case .object: "an object"
    }
  }

  private static func name(of type: AttributeType) -> String {
    switch type {
    case .integer: "a whole number"
    case .boolean: "true or false"
    case .real: "a number"
    case .text: "a text"
    case .bytes: "bytes in hexadecimal digits"
    case .date: "a date such as 2026-11-21T09:12:00Z"
    case .reference: "the number of a row"
    }
  }
}
