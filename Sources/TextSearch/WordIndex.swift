package import ManagedContext

/// A full-text index of the rows of a store.
///
/// The index is derived data: deleting it loses nothing, and no import waits for it. ``catchUp(_:)`` updates it from
/// the store. Several processes may update and search it at the same time.
package protocol WordIndex: Sendable {
  /// The path of its file, or the address of its server without the password.
  var name: String { get }

  /// The number of the store.
  var storeNumber: StoreNumber { get }

  /// True if the index cannot be written. It is then in the state of its last update.
  var isReadOnly: Bool { get }

  /// The size, in bytes.
  func byteCount() throws(StoreError) -> Int

  /// Returns whether the store contains changes that are not in the index yet.
  func isBehind() throws(StoreError) -> Bool

  /// Indexes the changes in the store since the last call, in many short transactions. If the process ends meanwhile,
  /// only the last transaction is lost.
  ///
  /// - Parameter visit: A closure called after each part of a full scan, with the last scanned key and the largest key.
  func catchUp(_ visit: (_ done: Int, _ total: Int) -> Void) throws(StoreError)

  /// Returns the matching rows, best match first.
  ///
  /// - Throws: ``StoreError/request(_:)`` for words that cannot be searched for.
  func search(_ request: SearchRequest) throws(StoreError) -> [SearchHit]

  /// Returns the keys of the rows that match an expression, in any order.
  func keys(of expression: SearchExpression, limit: Int) throws(StoreError) -> [Int64]

  /// Returns which of some rows match an expression.
  func keys(of expression: SearchExpression, among keys: [Int64]) throws(StoreError) -> [Int64]

  /// Returns words of the index, in any order. Some may belong to no row any more.
  ///
  /// - Parameters:
  ///   - pattern: What the words have in common.
  ///   - limit: The largest number of words.
  func words(_ pattern: WordPattern, limit: Int) throws(StoreError) -> [String]
}

/// What some words have in common.
package enum WordPattern: Sendable, Equatable {
  case beginning(String)
  case ending(String)
  case containing(String)

  /// A byte that no word has.
  package static let separator = UInt8(ascii: "\n")

  /// The letters, in the form in which words are compared.
  package var letters: String {
    switch self {
    case .beginning(let letters), .ending(let letters), .containing(let letters): letters
    }
  }

  /// Returns whether a word has the letters in the right place.
  package func matches(_ word: ArraySlice<UInt8>) -> Bool {
    let letters = Array(letters.utf8)
    return switch self {
    case .beginning: word.starts(with: letters)
    case .ending: word.suffix(letters.count).elementsEqual(letters)
    case .containing: word.contains(letters)
    }
  }
}

/// Finds the words of a search in texts that ``SearchSource/texts`` produced.
///
/// Its arguments are the search, the texts of rows, one for each column, and the names of the columns. It returns the hits in each
/// row; nil for a row that does not match.
package typealias HitFinder =
  @Sendable (SearchExpression, [[String]], [String]) throws(StoreError) -> [SearchHighlights?]

/// The words of texts in the form in which they are compared, in UTF-8.
package struct WordList: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var places: [Range<Int>] = []

  package init() {}

  package var count: Int { places.count }

  /// Returns the place of a word in ``bytes``.
  package func range(of word: Int) -> Range<Int> { places[word] }

  /// Appends a word that is folded.
  package mutating func append(_ word: ArraySlice<UInt8>) {
    places.append(bytes.count..<bytes.count + word.count)
    bytes += word
  }

  /// Appends the words of a text.
  package mutating func append(wordsOf text: Span<UInt8>) {
    var folded = FoldedText()
    folded.append(text)
    let start = bytes.count
    bytes += folded.bytes
    folded.bytes.span.forEachFoldedWord { place, _ in
      places.append(start + place.lowerBound..<start + place.upperBound)
    }
  }

  package var strings: [String] { places.map { String(decoding: bytes[$0], as: UTF8.self) } }
}
