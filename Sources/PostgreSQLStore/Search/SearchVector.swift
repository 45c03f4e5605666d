internal import TextSearch

/// A row's words with their places, as a binary `tsvector` (tsvectorsend in the server's tsvector.c).
///
/// A `tsvector` has limits (postgresql.org/docs/15/textsearch-limitations.html). A row beyond them is
/// ``isPartial``: it has all words and their columns, but not all places.
struct SearchVector {
  /// Nil if not all words have room. The row is then examined in each search.
  let bytes: [UInt8]?
  /// True if places are missing, or the ends of very long words.
  let isPartial: Bool

  /// The maximum column count: the server has four marks for words, and each column needs one.
  static let mostColumns = 4
  /// The last place in which words follow each other. After it, each column has one place for all later
  /// words. These places are not adjacent, so that their words make no phrase.
  private static let lastPlace = 16_374
  /// The maximum count of a word's places, besides one for each column.
  private static let mostPlaces = 250
  /// The maximum size of a `tsvector`, in bytes, less the header.
  private static let largest = (1 << 20) - 1024

  /// The mark of a column in the upper two bits of a place: A is 3, and D is 0.
  private static func mark(_ column: Int) -> UInt16 { UInt16(3 - column) << 14 }

  /// - Parameter columns: The words in each column, beginning with the column that has mark A.
  init(_ columns: [WordList]) {
    precondition(columns.count <= Self.mostColumns, "an index on a server has at most four columns")
    var entries: [Entry] = []
    entries.reserveCapacity(columns.reduce(0) { $0 + $1.count })
    var bytes: [UInt8] = []
    bytes.reserveCapacity(columns.reduce(0) { $0 + $1.bytes.count })
    var isPartial = false
    var next = 1
    // The longest column is the last one, so that the others have their places.
    for column in columns.indices.sorted(by: { columns[$0].count < columns[$1].count }) {
      let start = bytes.count
      bytes += columns[column].bytes
      for word in 0..<columns[column].count {
        let whole = columns[column].range(of: word)
        if whole.count >= SearchWord.longest { isPartial = true }
        let range = SearchWord.cut(columns[column].bytes, whole)
        let isLate = next > Self.lastPlace
        if isLate { isPartial = true }
        entries.append(
          Entry(
            bytes, (range.lowerBound + start)..<(range.upperBound + start), column: column,
            place: isLate ? Self.latePlace(column) : UInt16(next)))
        if !isLate { next += 1 }
      }
      // A phrase does not extend from one column to the next.
      next += 1
    }
    entries.sort { one, other in
      let order = one.compared(with: other, bytes)
      return order == 0 ? one.place < other.place : order < 0
    }
    var writer = Writer(capacity: bytes.count + 8 * entries.count)
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[start].compared(with: entries[end], bytes) == 0 { end += 1 }
      writer.add(bytes[entries[start].range], Self.places(of: entries[start..<end], &isPartial))
      start = end
    }
    let isWhole = writer.size <= Self.largest
    self.bytes = isWhole ? writer.finish() : nil
    self.isPartial = isPartial || !isWhole
  }

  /// A word at a place.
  private struct Entry {
    /// The first eight bytes, which suffice to compare most words.
    private let beginning: UInt64
    private let start: UInt32
    private let count: UInt32
    let column: Int
    let place: UInt16

    init(_ bytes: [UInt8], _ range: Range<Int>, column: Int, place: UInt16) {
      (start, count) = (UInt32(range.lowerBound), UInt32(range.count))
      var beginning: UInt64 = 0
      for offset in 0..<8 {
        beginning = beginning << 8 | (offset < range.count ? UInt64(bytes[range.lowerBound + offset]) : 0)
      }
      (self.beginning, self.column, self.place) = (beginning, column, place)
    }

    var range: Range<Int> { Int(start)..<Int(start + count) }

    func compared(with other: Entry, _ bytes: [UInt8]) -> Int {
      if beginning != other.beginning { return beginning < other.beginning ? -1 : 1 }
      let (one, second) = (range, other.range)
      if one.count > 8, second.count > 8 {
        for offset in 8..<min(one.count, second.count) {
          let (byte, next) = (bytes[one.lowerBound + offset], bytes[second.lowerBound + offset])
          if byte != next { return Int(byte) - Int(next) }
        }
      }
      return one.count - second.count
    }
  }

  private static func latePlace(_ column: Int) -> UInt16 { UInt16(lastPlace + 2 + 2 * column) }

  /// Returns a word's places with their column marks, ascending and without duplicates.
  private static func places(of entries: ArraySlice<Entry>, _ isPartial: inout Bool) -> [UInt16] {
    if entries.count == 1 { return entries.map { $0.place | mark($0.column) } }
    var places: [(place: UInt16, column: Int)] = []
    // A bit for each column.
    var columns = 0
    for entry in entries {
      guard places.last?.place != entry.place else { continue }
      var place = entry.place
      if places.count >= mostPlaces {
        isPartial = true
        guard columns & (1 << entry.column) == 0 else { continue }
        place = latePlace(entry.column)
      }
      columns |= 1 << entry.column
      places.append((place, entry.column))
    }
    places.sort { $0.place < $1.place }
    return places.map { $0.place | mark($0.column) }
  }

  private struct Writer {
    private var bytes: [UInt8] = [0, 0, 0, 0]
    private var count: UInt32 = 0
    /// The maximum size in the server's memory.
    private(set) var size = 0

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func add(_ word: ArraySlice<UInt8>, _ places: [UInt16]) {
      bytes += word
      bytes.append(0)
      write(UInt16(places.count))
      for place in places { write(place) }
      count += 1
      size += word.count + 2 * places.count + 8
    }

    mutating func finish() -> [UInt8] {
      for byte in 0..<4 { bytes[byte] = UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * byte)) }
      return bytes
    }

    private mutating func write(_ number: UInt16) {
      bytes.append(UInt8(number >> 8))
      bytes.append(UInt8(truncatingIfNeeded: number))
    }
  }
}

/// The limit for a word.
enum SearchWord {
  /// The size at which words are cut, in bytes. The server's limit is a little higher.
  static let longest = 2040

  /// Returns the beginning of a word up to the limit, without a partial character.
  static func cut(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    guard range.count >= longest else { return range }
    var end = range.lowerBound + longest
    while end > range.lowerBound, end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return range.lowerBound..<end
  }
}
