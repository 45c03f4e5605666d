import FeedImport
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Writes the rows of a store as JSON Lines (``ExportFormat``), which `newsimport import` reads again.
///
/// One row at a time is in memory.
@MainActor
struct StoreExport {
  private let store: any NewsStore
  /// The numbers of the chosen articles and of their feeds; nil for everything.
  private let chosen: (articles: [Int64], feeds: Set<Int64>)?
  private let write: (String) throws -> Bool

  /// - Parameters:
  ///   - chosen: The numbers of the chosen articles, and of their feeds; nil to write everything.
  ///   - write: Receives the text. Returns false to end the export.
  init(
    of store: any NewsStore, _ chosen: (articles: [Int64], feeds: Set<Int64>)?,
    _ write: @escaping (String) throws -> Bool
  ) {
    (self.store, self.chosen, self.write) = (store, chosen, write)
  }

  /// Writes all lines.
  ///
  /// - Returns: The number of articles.
  func run() throws -> Int {
    var (articles, lines) = (0, 0)
    var isComplete = try write(
      "{\"\(ExportFormat.formatKey)\":\"\(ExportFormat.name)\",\"version\":\(ExportFormat.version),"
        + "\"\(ExportFormat.endLineKey)\":true}\n")
    // What an import saves meanwhile would refer to feeds that were not written.
    try store.withOneState { snapshot in
      for table in ExportFormat.tables {
        for condition in conditions(table) {
          guard isComplete else { return }
          let written = try writeRows(of: table, condition, in: snapshot)
          lines += written.count
          isComplete = written.isComplete
          if table == NewsModel.Place.article { articles += written.count }
        }
      }
    }
    if isComplete {
      _ = try write(
        "{\"\(ExportFormat.endKey)\":\"\(ExportFormat.name)\",\"\(ExportFormat.linesKey)\":\(lines)}\n")
    }
    return articles
  }

  /// Returns the conditions for the rows of a table, each for some of them; empty if no row is chosen.
  private func conditions(_ table: EntityIndex) -> [String] {
    guard let chosen else { return [""] }
    let feeds = chosen.feeds.sorted()
    func among(_ column: String, _ numbers: [Int64]) -> [String] {
      numbers.chunks(of: 500).map { page in
        "WHERE \(column) IN (\(page.map(String.init).joined(separator: ",")))"
      }
    }
    switch table {
    case NewsModel.Place.region:
      let regions = "SELECT region_id FROM membership "
      return among("feed_id", feeds).count == 0
        ? [] : ["WHERE id IN (\(among("feed_id", feeds).map { regions + $0 }.joined(separator: " UNION ")))"]
    case NewsModel.Place.feed: return among("id", feeds)
    case NewsModel.Place.membership, NewsModel.Place.formerAddress: return among("feed_id", feeds)
    case NewsModel.Place.article: return among("id", chosen.articles.sorted())
    case ExportFormat.versions: return among("article_id", chosen.articles.sorted())
    default: return []
    }
  }

  /// Writes the rows of a table.
  ///
  /// - Returns: The number of rows, and false if the receiver wants no more.
  private func writeRows(
    of table: EntityIndex, _ condition: String, in snapshot: any StoreState
  ) throws -> (count: Int, isComplete: Bool) {
    let entity = NewsModel.model[table]
    let attributes = entity.attributes.filter { ExportFormat.isExported($0, of: table) }
    let isVersion = table == ExportFormat.versions
    var columns = ["id"] + attributes.map { "\"\($0.name)\"" }
    if isVersion {
      columns += [ExportFormat.feedKey, ExportFormat.guidKey].map {
        "(SELECT a.\($0) FROM article a WHERE a.id = article_id)"
      }
    }
    let isArticle = table == NewsModel.Place.article
    if isArticle {
      for mark in ["read_mark", "star"] {
        columns.append("EXISTS (SELECT 1 FROM \(mark) WHERE article_id = article.id)")
      }
    }
    let query = "SELECT \(columns.joined(separator: ", ")) FROM \"\(entity.name)\" \(condition) ORDER BY id"
    var (count, isComplete) = (0, true)
    var failure: (any Error)?
    try snapshot.query(query) { values in
      count += 1
      var json = JSONText()
      json.open("{")
      json.field("table", entity.name)
      if case .integer(let id) = values[0] { json.field("id", id) }
      for (attribute, value) in zip(attributes, values.dropFirst()) {
        json.key(attribute.name)
        let isWithheld = chosen != nil && ExportFormat.isWithheld(attribute, of: table)
        if let shape = ExportFormat.shape(of: attribute, of: table) {
          Self.append(value, shape, to: &json)
        } else {
          Self.append(isWithheld ? .null : value, attribute, of: table, to: &json)
        }
      }
      if isVersion {
        for (key, value) in zip([ExportFormat.feedKey, ExportFormat.guidKey], values.suffix(2)) {
          json.key(key)
          switch value {
          case .integer(let feed): json.raw(String(feed))
          case .text(let guid): json.string(guid)
          default: json.null()
          }
        }
      }
      if isArticle {
        for (key, value) in zip(ExportFormat.markKeys, values.suffix(2)) {
          json.key(key)
          json.raw(value == .integer(1) ? "true" : "false")
        }
      }
      json.close("}")
      do {
        isComplete = try write(json.text + "\n")
      } catch {
        (failure, isComplete) = (error, false)
      }
      return isComplete
    }
    if let failure { throw failure }
    return (count, isComplete)
  }

  /// Appends an array or an object; null for another value, which another program has written.
  private static func append(_ value: AttributeValue, _ shape: JSONShape, to json: inout JSONText) {
    guard case .text(let text) = value, shape.matches(text) else { return json.null() }
    if withEscapes(text).utf8.elementsEqual(text.utf8) { json.raw(text) } else { json.string(text) }
  }

  private static func append(
    _ value: AttributeValue, _ attribute: AttributeDescription, of table: EntityIndex, to json: inout JSONText
  ) {
    switch (value, attribute.type) {
    case (.null, _), (.reference, _): json.null()
    case (.integer(let seconds), .date) where ISODate.fourDigitYears.contains(seconds):
      json.string(ISODate.text(seconds))
    case (.real(let seconds), .date):
      if let text = ISODate.exactText(seconds) { json.string(text) } else { append(real: seconds, to: &json) }
    case (.integer(let number), .boolean): json.raw(number != 0 ? "true" : "false")
    case (.integer(let number), _): json.raw(String(number))
    case (.real(let number), _): append(real: number, to: &json)
    case (.bytes(let bytes), .bytes): json.string(hexadecimal(bytes))
    // Another program may have written any type.
    case (.bytes(let bytes), _): json.string(String(decoding: bytes, as: UTF8.self))
    case (.text(let text), .bytes): json.string(hexadecimal(Array(text.utf8)))
    case (.text(let text), _):
      // Addresses of feeds may have passwords; those of articles are public.
      let isPublic = [NewsModel.Place.article, ExportFormat.versions].contains(table)
      json.string(
        isPublic || !text.utf8.contains(UInt8(ascii: "@"))
          ? text : WebAddress.withoutPassword(text))
    }
  }

  private static func append(real number: Double, to json: inout JSONText) {
    if number.isFinite { json.raw("\(number)") } else { json.null() }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
