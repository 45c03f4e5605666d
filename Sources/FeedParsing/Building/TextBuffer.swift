internal import Markup

/// The texts of a document that are being collected, and the values of attributes.
///
/// Texts are appended to ``bytes``. Those of the current item come after ``itemStart``, and its slices count from there
/// until it is complete.
struct TextBuffer {
  /// The maximum length of an entry of a list of the feed, in bytes. Longer ones are dropped.
  static let longestEntry = 4096
  /// The initial capacity. Growing copies the bytes, and memory that is not written costs nothing.
  private static let usualCapacity = 96 << 10

  let limits: ParserLimits
  var bytes: [UInt8] = []
  var itemStart = 0
  private(set) var isInItem = false
  /// The limit that the document exceeds. The reader stops soon, and the current item never ends. Its bytes stay until
  /// then, because the caller may be in the middle of them.
  var exceeded: XMLLimit?
  /// The meanings of the document's names.
  var names = NameCache()
  /// The address of the document, and the values of `xml:base` around this place.
  private(set) var bases: [URLBase] = []
  /// The feed's page, for the addresses of a document whose own address is not known.
  private var page: URLBase?

  /// The address that relative ones belong to; nil if it is unknown.
  var baseOfAddresses: URLBase? { bases.last ?? page }

  /// Notes the feed's page.
  mutating func notePage(_ address: String) {
    if bases.isEmpty { page = URLBase(address.utf8) }
  }
  private var hasDocumentBase = false
  /// True if an element around this place has `xml:base`.
  var hasStatedBase: Bool { bases.count > (hasDocumentBase ? 1 : 0) }
  /// The values of `xml:lang` around this place.
  private(set) var languages: [[UInt8]] = []
  /// The open elements of markup in the text that is being collected.
  var openMarkup: [XMLName] = []
  /// A buffer for texts that are rewritten.
  private var scratch: [UInt8] = []

  /// - Parameter url: The address of the document.
  init(url: String?, limits: ParserLimits) {
    self.limits = limits
    guard let url, let base = URLBase(url.utf8) else { return }
    bases.append(base)
    hasDocumentBase = true
  }

  // MARK: Scopes

  /// The attributes of an element that hold inside it.
  struct Scope {
    /// True if it has `xml:base`.
    var hasBase = false
    /// True if it has `xml:lang`.
    var hasLanguage = false
  }

  /// The maximum length of a language. Each item has a copy of it.
  private static let longestLanguage = 64

  /// Reads `xml:base` and `xml:lang` of an element that begins.
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

  /// Leaves an element.
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

  /// Removes the texts of the item.
  mutating func dropItem() {
    isInItem = false
    removeTexts(from: itemStart)
  }

  /// Removes the texts that belong to no complete item.
  mutating func dropUnfinished() {
    if isInItem { dropItem() }
    removeTexts(from: itemStart)
  }

  /// Checks the size of all texts of the item, including those that a better source has replaced.
  mutating func checkItem() {
    if bytes.count - itemStart > limits.itemBytes { exceed("bytes of an item", limits.itemBytes) }
  }

  /// Notes an exceeded limit; the first one counts.
  @inline(never)
  mutating func exceed(_ name: String, _ value: Int) {
    if exceeded == nil { exceeded = XMLLimit(name: name, value: value) }
  }

  /// Reserves room for texts. A number that a server invents takes no memory until texts arrive.
  mutating func reserve(_ byteCount: Int) {
    let largestReserve = 320 << 10
    guard byteCount > 0 else { return }
    let texts = min(byteCount, largestReserve)
    // The importer adds lists and members as JSON. Without room for them, the texts would be copied to twice the memory.
    bytes.reserveCapacity(texts + texts / 16)
  }

  /// Moves the texts of the complete items out. Those of the next item stay.
  mutating func takeItems() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    // The next batch of a large feed has about the same size. If it were a little larger, its memory would be twice as large.
    if taken.count > 64 << 10 { bytes.reserveCapacity(taken.count + taken.count / 4) }
    if itemStart < taken.count {
      bytes.append(contentsOf: taken[itemStart...])
      taken.removeSubrange(itemStart...)
    }
    itemStart = 0
    return taken
  }

  // MARK: Slices

  /// Returns the range of the bytes of a slice of the item.
  func range(_ slice: ByteSlice) -> Range<Int> { slice.moved(by: itemStart).range }

  /// Returns whether two slices have the same text.
  func isSame(_ one: ByteSlice, _ other: ByteSlice) -> Bool {
    one.count == other.count
      && bytes.span.extracting(range(one)).elementsEqual(bytes.span.extracting(range(other)))
  }

  /// Returns the slice of a range of the bytes.
  func slice(_ range: Range<Int>) -> ByteSlice {
    ByteSlice(
      offset: UInt32(truncatingIfNeeded: range.lowerBound - itemStart),
      count: UInt32(truncatingIfNeeded: range.count))
  }

  /// Returns the text from `start` on without surrounding white space. If it is blank, it is removed, and the result is
  /// nil.
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
  @inline(__always)
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (first, last) = (range.lowerBound, range.upperBound)
    while first < last, bytes[first].isXMLSpace { first += 1 }
    while last > first, bytes[last - 1].isXMLSpace { last -= 1 }
    return first..<last
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

  /// Removes the text from `start` on, if there is any.
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

  /// Appends text of the document as HTML.
  mutating func appendEscaped(_ text: Span<UInt8>) {
    var start = 0
    while let index = text.firstMarkup(from: start) {
      bytes.append(text.extracting(start..<index))
      switch text[index] {
      case 0x26: bytes.append(contentsOf: "&amp;".utf8)
      case 0x3C: bytes.append(contentsOf: "&lt;".utf8)
      case 0x3E: bytes.append(contentsOf: "&gt;".utf8)
      default: bytes.append(text[index])
      }
      start = index + 1
    }
    bytes.append(text.extracting(start...))
  }

  /// Replaces the characters of an attribute's value, from `start` on, by their form in quoted HTML.
  mutating func escapeValue(from start: Int) {
    guard let first = bytes.span.firstMarkup(from: start) else { return }
    let value = Array(bytes[first...])
    bytes.removeSubrange(first...)
    for byte in value {
      switch byte {
      case 0x22: bytes.append(contentsOf: "&quot;".utf8)
      case 0x26: bytes.append(contentsOf: "&amp;".utf8)
      case 0x3C: bytes.append(contentsOf: "&lt;".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
