import DocumentReading
import Foundation
import ManagedContext
import NewsModel
import WebAddress

/// The documents that were imported before, by path, size and hash.
enum KnownDocuments {
  /// Returns the documents that need not be read again, by address, with their feeds.
  ///
  /// - Parameter feed: The feed that the user names for all documents; nil to accept any feed.
  static func find(
    among documents: [InputDocument], _ feed: WebAddress?, in context: BackgroundContext
  ) throws(StoreError) -> [String: WebAddress?] {
    let addresses = documents.map(\.address)
    guard !addresses.isEmpty else { return [:] }
    let rows = try context.performAndWait { (context) throws(StoreError) -> [Row] in
      defer { context.reset() }
      let found = try context.fetch(FetchRequest(ImportedDocument.self, where: .among(\.path, addresses)))
      if found.isEmpty { return [] }
      let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids(found.compactMap(\.feed))))
      let urls = Dictionary(feeds.map { ($0.id, $0.url) }) { $1 }
      return found.map {
        Row(path: $0.path, size: $0.size, hash: $0.hash, feed: $0.feed.flatMap { urls[$0] })
      }
    }
    var known: [String: WebAddress?] = [:]
    for row in rows where feed == nil || row.feed == feed {
      guard let document = documents.first(where: { $0.address.utf8.elementsEqual(row.path.utf8) }),
        let print = DocumentPrint(of: document), print.size == row.size, print.hash == row.hash
      else { continue }
      known.updateValue(row.feed, forKey: row.path)
    }
    return known
  }

  private struct Row: Sendable {
    let path: String
    let size: Int
    let hash: Int64
    let feed: WebAddress?
  }

  /// Notes that a document was imported, if it can be read again.
  ///
  /// - Returns: The save's ticket; nil if there is nothing to save.
  static func note(
    _ document: InputDocument, of feed: ManagedObjectID?, at now: Date, in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    guard let print = DocumentPrint(of: document) else { return nil }
    defer { context.reset() }
    context.insert(row(document, print, of: feed, at: now))
    return try context.push(after: nil)
  }

  /// Returns the row that notes a document's import.
  static func row(
    _ document: InputDocument, _ print: DocumentPrint, of feed: ManagedObjectID?, at now: Date
  ) -> BatchUpsert {
    var rows = RowBatch(entity: NewsModel.Place.importedDocument, columns: ImportedDocument.columns)
    rows.beginRow()
    rows.append(text: document.address)
    rows.append(print.size.attributeValue)
    rows.append(print.hash.attributeValue)
    rows.append(feed.map { .reference($0) } ?? .null)
    rows.append(.secondsSince1970(Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))))
    var batch = BatchUpsert(rows, unique: [ImportedDocument.schema.path.index])
    batch.isReported = false
    return batch
  }
}

/// The size and hash computed over a document's bytes.
final class DocumentPrint {
  private(set) var size = 0
  private var content = ContentHash()

  init() {}

  /// Reads a document; nil if it is not in memory as a whole and cannot be read twice.
  convenience init?(of document: InputDocument) {
    self.init()
    guard document.rest != nil else {
      for piece in document.head { add(piece) }
      return
    }
    guard let source = try? document.reopen?() else { return nil }
    while true {
      guard let piece = try? source.next() else { return nil }
      if piece.isEmpty { return }
      add(piece)
    }
  }

  var hash: Int64 { content.value }

  func add(_ piece: [UInt8]) {
    size += piece.count
    content.update(piece.span)
  }
}
