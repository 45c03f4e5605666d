internal import Markup

/// The texts that are being collected from a document, and attribute values.
///
/// Texts are appended to ``bytes``. The current item's texts come after ``itemStart``, and its slices count
/// from there until it is complete.
struct TextBuffer {
  /// The maximum length for an entry in a feed list, in bytes. Longer entries are dropped.
  static let longestEntry = 4096
  /// The initial capacity. Growing copies the bytes, and memory that is not written costs nothing.
  private static let usualCapacity = 96 << 10

  let limits: ParserLimits
  var bytes: [UInt8] = []
  var itemStart = 0
  private(set) var isInItem = false
  /// The limit that the document exceeds.
  ///
  /// The reader stops soon, and the current item never ends. Its bytes stay until then, because the caller
  /// may still be reading them.
  var exceeded: XMLLimit?
  /// Cache: the meanings of the document's names.
  var names = NameCache()
  /// The document's address, and the `xml:base` values around this place.
  private(set) var bases: [URLBase] = []
  /// The feed's page, for addresses in a document if its own address is not known.
  private var page: URLBase?

  /// The base for relative addresses; nil if it is unknown.
  var baseOfAddresses: URLBase? { bases.last ?? page }

  /// Records the feed's page.
  mutating func notePage(_ address: String) {
    if bases.isEmpty { page = URLBase(address.utf8) }
  }
  private var hasDocumentBase = false
  /// True if an element around this place has `xml:base`.
  var hasStatedBase: Bool { bases.count > (hasDocumentBase ? 1 : 0) }
  /// The `xml:lang` values around this place.
  private(set) var languages: [[UInt8]] = []
  /// The open markup elements in the text that is being collected.
  var openMarkup: [XMLName] = []
  /// A buffer for texts that are rewritten.
  private var scratch: [UInt8] = []

  /// - Parameter url: The document's address.
  init(url: String?, limits: ParserLimits) {
    self.limits = limits
    guard let url, let base = URLBase(url.utf8) else { return }
    bases.append(base)
    hasDocumentBase = true
  }

  // MARK: Scopes

  /// The attributes of an element that apply inside it.
  struct Scope {
    /// True if it has `xml:base`.
    var hasBase = false
    /// True if it has `xml:lang`.
    var hasLanguage = false
  }

  /// The maximum length for a language. Each item has a copy of it.
  private static let longestLanguage = 64

  /// Reads `xml:base` and `xml:lang` from an element that begins.
  mutating func enter(_ attributes: XMLAttributes) -> Scope {
    var scope = Scope()
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), name.hasPrefix else { continue }
      let meaning = names.meaning(of: name)
      guard meaning.vocabulary == .xml else { continue }
      let start = bytes.count
      attributes.appendValue(at: index, to: &bytes)
      if meaning.local == .lang, bytes.count - start <= Self.longestLanguage {
        languages.append(Array(bytes[start...]))
        scope.hasLanguage = true
      } else if meaning.local == .base, let base = base(from: start) {
        bases.append(base)
        scope.hasBase = true
      }
      bytes.removeSubrange(start...)
    }
    return scope
  }

  @inline(__always)
  mutating func leave(_ scope: Scope) {
    if scope.hasBase { bases.removeLast() }
    if scope.hasLanguage { languages.removeLast() }
  }

  // MARK: Items

  mutating func beginItem() {
    isInItem = true
    if bytes.isEmpty { bytes.reserveCapacity(Self.usualCapacity) }
    itemStart = bytes.count
  }

  /// Ends the item. Its texts stay.
  mutating func endItem() {
    isInItem = false
    itemStart = bytes.count
  }

  /// Removes the item's texts.
  mutating func dropItem() {
    isInItem = false
    removeTexts(from: itemStart)
  }

  /// Removes the texts that belong to no complete item.
  mutating func dropUnfinished() {
    if isInItem { dropItem() }
    removeTexts(from: itemStart)
  }

  /// Checks the size of all texts in the item, including texts that a better source has replaced.
  mutating func checkItem() {
    if bytes.count - itemStart > limits.itemBytes { exceed("bytes of an item", limits.itemBytes) }
  }

  /// Records an exceeded limit; the first one counts.
  @inline(never)
  mutating func exceed(_ name: String, _ value: Int) {
    if exceeded == nil { exceeded = XMLLimit(name: name, value: value) }
  }

  /// Reserves room for texts. A size that a server invents takes no memory until texts arrive.
  mutating func reserve(_ byteCount: Int) {
    let largestReserve = 320 << 10
    guard byteCount > 0 else { return }
    let texts = min(byteCount, largestReserve)
    // The importer adds lists and members as JSON. Without room for them, the texts would be copied into
    // memory twice as large.
    bytes.reserveCapacity(texts + texts / 16)
  }

  /// Moves the complete items' texts out. The next item's texts stay.
  mutating func takeItems() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    // A large feed's next batch has about the same size. If it were a little larger, its memory would be
    // twice as large.
    if taken.count > 64 << 10 { bytes.reserveCapacity(taken.count + taken.count / 4) }
    if itemStart < taken.count {
      bytes.append(contentsOf: taken[itemStart...])
      taken.removeSubrange(itemStart...)
    }
    itemStart = 0
    return taken
  }

  // MARK: Slices

  /// Returns the byte range that a slice in the item covers.
  func range(_ slice: ByteSlice) -> Range<Int> { slice.moved(by: itemStart).range }

  /// Returns whether two slices have the same text.
  func isSame(_ one: ByteSlice, _ other: ByteSlice) -> Bool {
    one.count == other.count
      && bytes.span.extracting(range(one)).elementsEqual(bytes.span.extracting(range(other)))
  }

  /// Returns the slice for a range in the bytes.
  func slice(_ range: Range<Int>) -> ByteSlice {
    ByteSlice(
      offset: UInt32(truncatingIfNeeded: range.lowerBound - itemStart),
      count: UInt32(truncatingIfNeeded: range.count))
  }

  /// Returns the text from `start` on without surrounding white space. If it is blank, it is removed, and the
  /// result is nil.
  mutating func trimmedSlice(from start: Int) -> ByteSlice? {
    let range = trimmed(start..<bytes.count)
    bytes.removeSubrange(range.upperBound...)
    guard !range.isEmpty else {
      bytes.removeSubrange(start...)
      return nil
    }
    return slice(range)
  }

  /// Returns a range without white space at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    bytes.span.extracting(..<range.upperBound).trimmed(from: range.lowerBound)
  }

  /// Appends a text as a slice; nil for nil and for a blank text.
  mutating func keep(_ text: String?) -> ByteSlice? {
    guard let text else { return nil }
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    return trimmedSlice(from: start)
  }

  // MARK: Texts

  func isBlank(from start: Int) -> Bool { bytes[start...].allSatisfy(\.isXMLSpace) }

  /// Removes the text from `start` on, if any exists.
  mutating func removeTexts(from start: Int) {
    bytes.removeSubrange(min(start, bytes.count)...)
  }

  /// Removes the text from `start` on, and returns it as a string; nil if it is blank.
  mutating func takeText(from start: Int) -> String? {
    let text = trimmedSlice(from: start).map { String(decoding: bytes[range($0)], as: UTF8.self) }
    removeTexts(from: start)
    return text
  }

  /// Returns the date in the text from `start` on, and removes the text.
  mutating func takeDate(from start: Int) -> Int64? {
    let seconds = DateParser.seconds(bytes.span.extracting(start...))
    bytes.removeSubrange(start...)
    return seconds
  }

  /// Replaces the text from `start` on by the bytes that `write` appends, unless it returns false.
  mutating func rewrite(from start: Int, _ write: (Span<UInt8>, inout [UInt8]) -> Bool) {
    var text: [UInt8] = []
    swap(&text, &scratch)
    text.removeAll(keepingCapacity: true)
    if write(bytes.span.extracting(start...), &text) {
      bytes.removeSubrange(start...)
      bytes.append(contentsOf: text)
    }
    scratch = text
  }

  /// Appends text from the document as HTML.
  ///
  /// - Parameter isValue: True for an attribute's value in quotation marks.
  mutating func appendEscaped(_ text: Span<UInt8>, isValue: Bool = false) {
    var start = 0
    while let index = text.firstMarkup(from: start) {
      bytes.append(text.extracting(start..<index))
      switch text[index] {
      case 0x22 where isValue: bytes.append(contentsOf: "&quot;".utf8)
      case 0x26: bytes.append(contentsOf: "&amp;".utf8)
      case 0x3C: bytes.append(contentsOf: "&lt;".utf8)
      case 0x3E where !isValue: bytes.append(contentsOf: "&gt;".utf8)
      default: bytes.append(text[index])
      }
      start = index + 1
    }
    bytes.append(text.extracting(start...))
  }

  /// Replaces the text from `start` on by its form in HTML; see ``appendEscaped(_:isValue:)``.
  mutating func escape(from start: Int, isValue: Bool = false) {
    guard let first = bytes.span.firstMarkup(from: start) else { return }
    let text = Array(bytes[first...])
    bytes.removeSubrange(first...)
    appendEscaped(text.span, isValue: isValue)
  }
}
