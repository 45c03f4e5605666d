internal import GRDB
internal import GRDBSQLite
package import ManagedContext
package import TextSearch

/// The rules of FTS5, which the indexes of stores elsewhere follow, too.
package final class FTSWordRules: WordRules {
  /// The tokenizer changes its own memory. Only the queue's connection uses it.
  private final class Tokenizer: @unchecked Sendable {
    let tokenizer: any FTS5Tokenizer

    init(_ db: Database) throws {
      tokenizer = try db.makeTokenizer(
        FTS5TokenizerDescriptor(components: SearchIndex.tokenizer.split(separator: " ").map(String.init)))
    }
  }

  private let queue: DatabaseQueue
  private let tokenizer: Tokenizer

  package init() throws(StoreError) {
    (queue, tokenizer) = try StoreFile.describingErrors(path: "the words") { () throws(any Error) in
      let queue = try DatabaseQueue()
      return (queue, try queue.unsafeRead { db in try Tokenizer(db) })
    }
  }

  package func append(wordsOf text: [UInt8], to words: inout WordList) throws(StoreError) {
    let code = queue.unsafeRead { _ in
      unsafe withUnsafeMutablePointer(to: &words) { words in
        unsafe text.withUnsafeBytes { text in
          unsafe tokenizer.tokenizer.tokenize(
            context: words, tokenization: .document,
            pText: text.baseAddress?.assumingMemoryBound(to: CChar.self),
            nText: CInt(text.count)
          ) { words, _, word, count, _, _ in
            guard let words = unsafe words?.assumingMemoryBound(to: WordList.self), let word = unsafe word
            else {
              return SQLITE_ERROR
            }
            unsafe words.pointee.append(UnsafeRawBufferPointer(start: word, count: Int(count)))
            return SQLITE_OK
          }
        }
      }
    }
    if code != SQLITE_OK { throw .inputOutput("the words of a text cannot be found (SQLite \(code))") }
  }

  package func highlights(
    of expression: SearchExpression, in texts: [[String]], columns: [String]
  ) throws(StoreError) -> [SearchHighlights?] {
    try SearchIndex.highlights(of: expression, in: texts, columns: columns)
  }
}
