import ArticleDocuments
import Foundation
import ManagedContext
import ParserLaws
import SQLiteStore
import TextSearch

/// The law of search indexes: however the file is damaged, a search finds the articles or states another cause than the words.
enum IndexLaw {
  /// Each four bytes are a change: two for the page and the place in it, one for the number of bytes, and one for their value.
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    guard input.count >= 4 else { return false }
    do {
      let file = try FuzzedStore()
      let store = try file.openReadOnly()
      defer { try? store.close() }
      try fill(store)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path + ".search"))
      for change in stride(from: 0, to: input.count - 3, by: 4) {
        let place = (Int(input[change]) * 251 + Int(input[change + 1])) * 37 % bytes.count
        for index in place..<min(bytes.count, place + 1 + Int(input[change + 2])) {
          bytes[index] = input[change + 3]
        }
      }
      // In place, as a disk or another program damages it.
      try bytes.write(to: URL(fileURLWithPath: file.path + ".search"))
      let found = try search(store)
      // Damage that SQLite does not notice may hide articles.
      try expect(Set(found).count == found.count, "an article is found once")
    } catch let violation as Law.Violation {
      throw violation
    } catch let error as StoreError {
      if case .request = error { throw Law.Violation("damage is taken for an error of the words: \(error)") }
    } catch {
      throw Law.Violation("the store cannot be made: \(error)")
    }
    return true
  }

  private static func fill(_ store: SQLiteStore) throws {
    let index = try SearchIndex(of: store, ArticleSearch.source)
    try index.catchUp { _, _ in }
  }

  private static func search(_ store: SQLiteStore) throws -> [Int64] {
    let index = try SearchIndex(of: store, ArticleSearch.source)
    try index.catchUp { _, _ in }
    let expression = try SearchExpression("title", columns: ArticleSearch.names)
    let found = try index.search(SearchRequest(expression, limit: 10)).map(\.key)
    _ = try index.keys(of: expression, among: try index.keys(of: expression, limit: 10))
    return found
  }
}
