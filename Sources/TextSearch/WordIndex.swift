public import ManagedContext

/// A full-text index for a store's rows.
///
/// The index is derived data: deleting it loses nothing, and no import waits for it. ``catchUp(_:)`` updates
/// it from the store. Several processes may update and search it at the same time.
public protocol WordIndex: Sendable {
  /// The path of its file, or its server's address without the password.
  var name: String { get }

  /// The number of the store with the texts.
  var storeNumber: StoreNumber { get }

  /// True if the index cannot be written. It then keeps the state of its last update.
  var isReadOnly: Bool { get }

  /// Returns the size, in bytes.
  func byteCount() throws(StoreError) -> Int

  /// Indexes the changes in the store since the last call, in many short transactions. If the process ends
  /// during the call, only the last transaction is lost.
  ///
  /// - Parameter visit: Called after each part of a full scan, with the last scanned key and the largest key.
  /// - Returns: False if the store contains changes that cannot be indexed, because the index cannot be written.
  @discardableResult
  func catchUp(_ visit: (_ done: Int, _ total: Int) -> Void) throws(StoreError) -> Bool

  /// Returns the matching rows, best match first.
  ///
  /// - Throws: ``StoreError/request(_:)`` for words that cannot be searched for.
  func search(_ request: SearchRequest) throws(StoreError) -> [SearchHit]

  /// Returns the keys of matching rows, in any order.
  func keys(of expression: SearchExpression, limit: Int) throws(StoreError) -> [Int64]

  /// Returns the matching keys among some rows.
  func keys(of expression: SearchExpression, among keys: [Int64]) throws(StoreError) -> [Int64]

  /// Returns index words, in any order. Some may no longer belong to a row.
  ///
  /// - Parameters:
  ///   - pattern: The letters that the words share.
  ///   - limit: The maximum word count.
  func words(_ pattern: WordPattern, limit: Int) throws(StoreError) -> [String]
}

/// The letters that words share, and their place.
public enum WordPattern: Sendable, Equatable {
  /// Words that begin with the letters.
  case beginning(String)
  /// Words that end with the letters.
  case ending(String)
  /// Words that have the letters anywhere.
  case containing(String)

  /// A byte that no word contains.
  public static let separator = UInt8(ascii: "\n")

  /// The letters, in the form in which words are compared.
  public var letters: String {
    switch self {
    case .beginning(let letters), .ending(let letters), .containing(let letters): letters
    }
  }

  /// Returns whether a word has the letters in the right place.
  public func matches(_ word: ArraySlice<UInt8>) -> Bool {
    let letters = Array(letters.utf8)
    return switch self {
    case .beginning: word.starts(with: letters)
    case .ending: word.suffix(letters.count).elementsEqual(letters)
    case .containing: word.contains(letters)
    }
  }
}

/// Finds a search's words in texts that ``SearchSource/texts`` produced.
///
/// Its arguments are the search, the rows' texts, one for each column, and the column names. It returns each
/// row's hits; nil for a row that does not match.
public typealias HitFinder =
  @Sendable (SearchExpression, [[String]], [String]) throws(StoreError) -> [SearchHighlights?]

/// Words from texts in the form in which they are compared, in UTF-8.
public struct WordList: Sendable {
  /// All words, one after the other.
  public private(set) var bytes: [UInt8] = []
  private var places: [Range<Int>] = []

  /// Creates an empty list.
  public init() {}

  /// The count of words.
  public var count: Int { places.count }

  /// Returns a word's place in ``bytes``.
  public func range(of word: Int) -> Range<Int> { places[word] }

  /// Appends a folded word.
  public mutating func append(_ word: ArraySlice<UInt8>) {
    places.append(bytes.count..<bytes.count + word.count)
    bytes += word
  }

  /// Appends a text's words.
  public mutating func append(wordsOf text: Span<UInt8>) {
    var folded = FoldedText()
    folded.append(text)
    let start = bytes.count
    bytes += folded.bytes
    folded.bytes.span.forEachFoldedWord { place, _ in
      places.append(start + place.lowerBound..<start + place.upperBound)
    }
  }

  /// The words as strings.
  public var strings: [String] { places.map { String(decoding: bytes[$0], as: UTF8.self) } }
}
