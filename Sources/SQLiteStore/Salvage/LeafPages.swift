internal import Foundation

/// The pages of a file that contain rows of tables, found by their contents instead of by the pages that lead to them
/// (sqlite.org/fileformat2.html#b_tree_pages).
struct LeafPages {
  static let pageBytes = 16384

  struct Page {
    let number: UInt32
    /// The largest key on the page.
    let lastKey: UInt64
  }

  /// The pages by the number of columns of their first row, in the order of their keys.
  private(set) var byColumns: [Int: [Page]] = [:]
  /// The pages to which other pages of tables lead.
  private var children: Set<Int> = []
  private let path: String

  /// Finds the pages of a file, except unused ones.
  init(path: String) throws {
    self.path = path
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var number: UInt32 = 1
    var unused: Set<UInt32> = []
    while let data = try file.read(upToCount: Self.pageBytes), data.count == Self.pageBytes {
      let page = PageBytes(bytes: Array(data))
      if number == 1 { unused = try Self.unusedPages(of: file, from: page.number(at: 32, bytes: 4)) }
      if number > 1, !unused.contains(number), let leaf = page.leaf, !leaf.isOfHistory {
        byColumns[leaf.columns, default: []].append(Page(number: number, lastKey: leaf.lastKey))
      }
      if !unused.contains(number) { children.formUnion(page.children) }
      number += 1
    }
    for columns in byColumns.keys { byColumns[columns]?.sort { $0.lastKey < $1.lastKey } }
  }

  /// Returns the number of columns of a table's first row.
  ///
  /// - Parameter root: The page to which the table's definition should lead.
  /// - Returns: 0 if the table has no row; nil if no table of an entity begins on this page, or the pages below it are damaged.
  func columns(ofTableAt root: Int) -> Int? {
    guard !children.contains(root) else { return nil }
    var number = root
    // Trees of tables are never deeper than this.
    for _ in 0..<20 {
      guard let page = page(number) else { return nil }
      if let leaf = page.leaf { return leaf.isOfHistory ? nil : leaf.columns }
      if page.isEmptyLeaf { return 0 }
      guard let child = page.children.first else { return nil }
      number = child
    }
    return nil
  }

  /// Returns whether a page belongs to a table, even if the pages below it are damaged.
  func isPageOfTable(_ number: Int) -> Bool {
    page(number).map { [5, 13].contains($0.bytes[0]) } ?? false
  }

  private func page(_ number: Int) -> PageBytes? {
    guard number > 0, let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard (try? file.seek(toOffset: UInt64(number - 1) * UInt64(Self.pageBytes))) != nil,
      let data = try? file.read(upToCount: Self.pageBytes), data.count == Self.pageBytes
    else { return nil }
    return PageBytes(bytes: Array(data))
  }

  /// Returns the numbers of the pages in the list of unused ones. They may contain deleted rows.
  private static func unusedPages(of file: FileHandle, from first: Int) throws -> Set<UInt32> {
    let place = try file.offset()
    defer { try? file.seek(toOffset: place) }
    var unused: Set<UInt32> = []
    var trunk = first
    while trunk > 0, unused.insert(UInt32(truncatingIfNeeded: trunk)).inserted {
      try file.seek(toOffset: UInt64(trunk - 1) * UInt64(pageBytes))
      guard let data = try file.read(upToCount: pageBytes), data.count == pageBytes else { break }
      let page = PageBytes(bytes: Array(data))
      for index in 0..<min(page.number(at: 4, bytes: 4), pageBytes / 4 - 2) {
        unused.insert(UInt32(page.number(at: 8 + 4 * index, bytes: 4)))
      }
      trunk = page.number(at: 0, bytes: 4)
    }
    return unused
  }

  /// Returns an inner page of a table that leads to leaf pages.
  ///
  /// - Parameter pages: At least one, at most ``mostPages``.
  static func innerPage(over pages: ArraySlice<Page>) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: pageBytes)
    func write(_ number: Int, at offset: Int, bytes: Int) {
      for index in 0..<bytes {
        page[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * (bytes - 1 - index)))
      }
    }
    var end = pageBytes
    for (index, child) in pages.dropLast().enumerated() {
      let key = varint(child.lastKey)
      end -= 4 + key.count
      write(Int(child.number), at: end, bytes: 4)
      page.replaceSubrange(end + 4..<end + 4 + key.count, with: key)
      write(end, at: 12 + 2 * index, bytes: 2)
    }
    page[0] = 5
    write(pages.count - 1, at: 3, bytes: 2)
    write(end, at: 5, bytes: 2)
    write(Int(pages.last?.number ?? 0), at: 8, bytes: 4)
    return page
  }

  /// The most pages to which one inner page leads: each takes up to 15 bytes.
  static let mostPages = 1000

  private static func varint(_ number: UInt64) -> [UInt8] {
    guard number >> 56 == 0 else {
      return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 + 7 * (7 - $0))) | 0x80 }
        + [UInt8(truncatingIfNeeded: number)]
    }
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }
}

/// The bytes of a page, which may be damaged in any way.
private struct PageBytes {
  let bytes: [UInt8]

  /// Returns a big-endian number; bytes after the end are zero.
  func number(at offset: Int, bytes count: Int) -> Int {
    (0..<count).reduce(0) { $0 << 8 | (bytes.indices.contains(offset + $1) ? Int(bytes[offset + $1]) : 0) }
  }

  /// The number of columns of the first row and the key of the last, and whether the first row is one of the history; nil
  /// if this is no page of rows.
  var leaf: (columns: Int, lastKey: UInt64, isOfHistory: Bool)? {
    let count = number(at: 3, bytes: 2)
    guard bytes[0] == 13, count > 0, count < bytes.count / 4 else { return nil }
    guard let first = row(at: number(at: 8, bytes: 2)),
      let last = row(at: number(at: 8 + 2 * (count - 1), bytes: 2))
    else { return nil }
    return (first.types.count, last.key, HistoryTable.isRow(types: first.types))
  }

  /// True if this is a page of a table without rows.
  var isEmptyLeaf: Bool { bytes[0] == 13 && number(at: 3, bytes: 2) == 0 }

  /// The pages to which an inner page of a table leads; empty if this is none.
  var children: [Int] {
    guard bytes[0] == 5 else { return [] }
    let cells = min(number(at: 3, bytes: 2), bytes.count / 2)
    let places = (0..<cells).map { number(at: 12 + 2 * $0, bytes: 2) }
    return (places + [8]).map { number(at: $0, bytes: 4) }
  }

  /// Reads the beginning of a row: the size, the key, and the types of the columns.
  private func row(at offset: Int) -> (key: UInt64, types: [UInt64])? {
    var place = offset
    guard varint(&place) != nil, let key = varint(&place) else { return nil }
    let start = place
    guard let size = varint(&place), size < 1000 else { return nil }
    var types: [UInt64] = []
    while place < start + Int(size) {
      guard let type = varint(&place) else { return nil }
      types.append(type)
    }
    return place == start + Int(size) ? (key, types) : nil
  }

  private func varint(_ place: inout Int) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard bytes.indices.contains(place) else { return nil }
      let byte = bytes[place]
      place += 1
      if index == 8 { return value << 8 | UInt64(byte) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    return value
  }
}
