/// The block of 512 bytes before a member of a tar archive (POSIX.1-2017, pax; and the format of GNU tar).
struct TarHeader {
  static let blockBytes = 512

  /// The kinds of members, as far as they differ for a reader.
  enum Kind: Equatable {
    case file
    /// Extended values of the next member (`x`).
    case values
    /// Extended values of all further members (`g`).
    case commonValues
    /// The long name of the next member (GNU `L`).
    case longName
    /// A file with holes (GNU `S`), which is skipped. Its map may continue in further blocks.
    case sparse
    /// A folder, a link, a device or anything else without content that is read.
    case other
  }

  let kind: Kind
  /// The name, with its folders.
  let name: [UInt8]
  /// The size of the content, in bytes.
  let size: Int
  /// True if a block with more of the map follows the header of a ``Kind/sparse`` file.
  let isContinued: Bool

  /// Reads a block; nil if its checksum is wrong.
  init?(_ block: ArraySlice<UInt8>) {
    guard block.count == Self.blockBytes else { return nil }
    let bytes = Array(block)
    guard let stated = Self.number(bytes[148..<156]) else { return nil }
    let sum = bytes.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element)) }
    guard sum == stated, let size = Self.number(bytes[124..<136]) else { return nil }
    self.size = size
    isContinued = bytes[482] != 0
    let name = Self.text(bytes[0..<100])
    let prefix = bytes[257..<263].elementsEqual("ustar\0".utf8) ? Self.text(bytes[345..<500]) : []
    self.name = prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
    kind =
      switch bytes[156] {
      case UInt8(ascii: "0"), 0, UInt8(ascii: "7"): .file
      case UInt8(ascii: "x"), UInt8(ascii: "X"): .values
      case UInt8(ascii: "g"): .commonValues
      case UInt8(ascii: "L"): .longName
      case UInt8(ascii: "S"): .sparse
      default: .other
      }
  }

  /// Reads an octal number with blanks around it, or a binary number whose first bit is set; nil if it is neither.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    if let first = field.first, first & 0x80 != 0 {
      // Negative numbers begin with 0xFF.
      guard first & 0x40 == 0 else { return nil }
      var number = Int(first & 0x3F)
      for byte in field.dropFirst() {
        guard number < Int.max >> 8 else { return nil }
        number = number << 8 | Int(byte)
      }
      return number
    }
    let digits = field.drop { $0 == 32 }.prefix { $0 != 0 && $0 != 32 }
    var number = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "7") ~= digit, number < Int.max >> 3 else { return nil }
      number = number << 3 | Int(digit - UInt8(ascii: "0"))
    }
    return number
  }

  private static func text(_ field: ArraySlice<UInt8>) -> [UInt8] { Array(field.prefix { $0 != 0 }) }
}
