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
}

/// The rules by which texts are split into words, and by which words are found in texts.
package protocol WordRules: Sendable {
  /// Appends the words of a text of an index or of a phrase, in the form in which words are compared.
  func append(wordsOf text: [UInt8], to words: inout WordList) throws(StoreError)

  /// Finds the words of a search in texts that ``SearchSource/texts`` produced.
  ///
  /// - Parameters:
  ///   - texts: The texts of rows, one for each column.
  ///   - columns: The names of the columns.
  /// - Returns: The hits in each row; nil for a row that does not match.
  func highlights(
    of expression: SearchExpression, in texts: [[String]], columns: [String]
  ) throws(StoreError) -> [SearchHighlights?]
}

/// Words in UTF-8, one after the other.
package struct WordList: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []

  package init() {}

  package var count: Int { ends.count }

  /// Returns the place of a word in ``bytes``.
  package func range(of word: Int) -> Range<Int> { (word == 0 ? 0 : ends[word - 1])..<ends[word] }

  @unsafe package mutating func append(_ word: UnsafeRawBufferPointer) {
    unsafe bytes.append(contentsOf: word)
    ends.append(bytes.count)
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
