/// Searches a piece of a document for texts that are long enough to bypass libxml2.
///
/// A result may be something else, such as a part of a comment. libxml2 knows whether it is a text when it reaches it.
struct LongTextSearch {
  enum Text: Equatable {
    /// The text of a CDATA section begins at this offset.
    case section(Int)
    /// Character data begins at this offset, after a tag.
    case run(Int)

    var start: Int {
      switch self {
      case .section(let start), .run(let start): start
      }
    }
  }

  /// The minimum length of a text: a shorter one is not worth another call of libxml2.
  private static let shortest = 128
  private static let sectionMark: StaticString = "<![CDATA["

  /// The offset of the text of the next section, or of the end of the bytes; nil before the first search.
  private var section: Int?

  /// Returns the next text from `start` on; nil if it does not exist.
  mutating func next(in bytes: Span<UInt8>, from start: Int) -> Text? {
    if section.map({ $0 <= start }) ?? true { section = Self.section(in: bytes, from: start) ?? bytes.count }
    let found = section ?? bytes.count
    let limit = found < bytes.count ? found - Self.sectionMark.utf8CodeUnitCount : found
    if let run = Self.run(in: bytes.extracting(..<limit), from: start) { return .run(run) }
    return found < bytes.count ? .section(found) : nil
  }

  /// Returns the offset of the text of a section that does not end soon.
  private static func section(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var from = start
    while let bracket = bytes.firstIndex(of: UInt8(ascii: "["), from: from) {
      from = bracket + 1
      let mark = bracket - 2
      guard mark >= start, bytes.hasPrefix(sectionMark, at: mark) else { continue }
      let text = mark + sectionMark.utf8CodeUnitCount
      var end = RunEnd(byte: UInt8(ascii: "]"))
      let beginning = bytes.extracting(text..<min(text + shortest, bytes.count))
      guard let short = end.end(in: beginning) else { return text }
      from = text + short
    }
    return nil
  }

  /// Returns the offset of long character data after a tag.
  private static func run(in bytes: Span<UInt8>, from start: Int) -> Int? {
    guard var tag = bytes.firstIndex(of: UInt8(ascii: "<"), from: start) else { return nil }
    while bytes.count - tag > shortest {
      // Of tags that are close together, only the last one is examined.
      let near = bytes.extracting((tag + 1)..<(tag + 1 + shortest))
      if let last = near.lastIndex(of: UInt8(ascii: "<")) {
        tag += 1 + last
        continue
      }
      guard let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: tag) else { return nil }
      let next = bytes.firstIndex(of: UInt8(ascii: "<"), from: tag + 1 + shortest) ?? bytes.count
      if next - end > shortest { return end + 1 }
      tag = next
    }
    return nil
  }
}
