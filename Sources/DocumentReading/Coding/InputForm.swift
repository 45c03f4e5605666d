/// An input's format, recognized by its first bytes and not by its name.
enum InputForm {
  /// A document, or anything unknown.
  case plain
  case gzip
  /// Compressed with bzip2, xz or Zstandard.
  case compressed
  case tar
  case cpio
  case zip
  case sevenZip

  /// The count of bytes that must be examined: one tar header.
  static let headBytes = 512

  private static let signatures: [(bytes: [UInt8], form: InputForm)] = [
    ([0x1F, 0x8B], .gzip), ([0x28, 0xB5, 0x2F, 0xFD], .compressed),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .compressed), ([0x50, 0x4B, 0x03, 0x04], .zip),
    // An archive without files.
    ([0x50, 0x4B, 0x05, 0x06], .zip),
    // cpio(5): the portable formats.
    (Array("070707".utf8), .cpio), (Array("070701".utf8), .cpio), (Array("070702".utf8), .cpio),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .sevenZip),
  ]

  init(_ head: ArraySlice<UInt8>) {
    let signature = Self.signatures.first { head.starts(with: $0.bytes) }
    self =
      signature?.form
      ?? (Self.isBzip2Header(head) ? .compressed : Self.isTarHeader(Array(head)) ? .tar : .plain)
  }

  var isArchive: Bool { [.tar, .cpio, .zip, .sevenZip].contains(self) }

  /// Returns whether the bytes begin a bzip2 stream: `BZh`, a digit, and the mark of a block or of the end.
  ///
  /// A text may begin with the first letters.
  private static func isBzip2Header(_ head: ArraySlice<UInt8>) -> Bool {
    let marks: [[UInt8]] = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]]
    let rest = head.dropFirst(3)
    guard head.starts(with: "BZh".utf8), let size = rest.first, (0x31...0x39).contains(size) else {
      return false
    }
    return marks.contains { rest.dropFirst().starts(with: $0) }
  }

  /// Returns whether a block contains its own checksum, with the field itself as blanks (POSIX.1-2017, pax).
  private static func isTarHeader(_ block: [UInt8]) -> Bool {
    guard block.count == headBytes else { return false }
    let digits = block[148..<156].drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    let sum = (block[..<148] + block[156...]).reduce(8 * 0x20) { $0 + Int($1) }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8) == sum
  }
}
