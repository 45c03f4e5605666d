internal import Foundation
internal import GRDB
public import ManagedContext
public import TextSearch

/// The index's words, used to look up word parts and hints.
extension SearchIndex {
  /// Returns words in the index; see `WordIndex.words(_:limit:)`.
  public func words(_ pattern: WordPattern, limit: Int) throws(StoreError) -> [String] {
    let letters = Data(pattern.letters.utf8)
    return try describingErrors {
      try self.read { db in
        if case .beginning = pattern {
          // No UTF-8 byte is as large as the last one.
          let sql =
            "SELECT letters FROM word WHERE letters >= ?1 AND letters < CAST(?1 || x'FF' AS BLOB) LIMIT ?2"
          return try Data.fetchAll(db, sql: sql, arguments: [letters, limit])
            .map { String(decoding: $0, as: UTF8.self) }
        }
        var found: [String] = []
        let lists = try Data.fetchCursor(
          db, sql: "SELECT words FROM word_list WHERE instr(words, ?) > 0", arguments: [letters])
        while found.count < limit, let list = try lists.next() {
          found += Self.words(pattern, in: list)
        }
        return Array(found.prefix(limit))
      }
    }
  }

  /// Adds words to the index, unless it has them.
  func add(_ words: WordList, in db: Database) throws {
    let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO word (letters) VALUES (?)")
    var list = Data()
    for word in 0..<words.count {
      let letters = Data(words.bytes[words.range(of: word)])
      try insert.execute(arguments: [letters])
      if db.changesCount > 0 { list += [WordPattern.separator] + letters }
    }
    guard !list.isEmpty else { return }
    try db.cachedStatement(sql: "INSERT INTO word_list (words) VALUES (?)").execute(arguments: [list])
  }

  /// Returns the words in a list that a pattern matches.
  private static func words(_ pattern: WordPattern, in list: Data) -> [String] {
    let letters = Data(pattern.letters.utf8)
    var found: [String] = []
    var place = list.startIndex
    while let hit = list.range(of: letters, in: place..<list.endIndex) {
      let start =
        list[..<hit.lowerBound].lastIndex(of: WordPattern.separator).map { $0 + 1 } ?? list.startIndex
      let end = list[hit.upperBound...].firstIndex(of: WordPattern.separator) ?? list.endIndex
      if pattern.matches(Array(list[start..<end])[...]) {
        found.append(String(decoding: list[start..<end], as: UTF8.self))
      }
      place = end
    }
    return found
  }
}

/// The words that were indexed, each written once.
struct Vocabulary: Sendable {
  /// The hashes of words that were noted before.
  private var known: Set<UInt64> = []
  /// The hashes of the latest words, each in its place: most words are among them.
  private var latest = [UInt64](repeating: 0, count: 4096)
  private var new = WordList()

  /// The maximum count of kept hashes. The table ignores words that it already has.
  private static let mostKnown = 1 << 20

  /// Notes the words in folded text.
  mutating func note(_ text: [UInt8]) {
    text.span.forEachFoldedWord { place, hash in
      let slot = Int(hash >> 52)
      if latest[slot] == hash { return }
      latest[slot] = hash
      if known.insert(hash).inserted { new.append(text[place]) }
    }
  }

  /// Returns the noted words that were not returned before.
  mutating func takeNewWords() -> WordList {
    defer { new = WordList() }
    if known.count > Self.mostKnown { known.removeAll() }
    return new
  }
}
