/// Looks through a piece of a document for text that is long enough to be handed over past libxml2.
///
/// What it finds may be something else, such as a part of a comment: whether it is text, libxml2 knows when it stands there.
struct LongTextSearch {
  enum Text: Equatable {
    /// The text of a CDATA section begins here.
    case section(Int)
    /// Character data begins here, behind a tag.
    case run(Int)

    var start: Int {
      switch self {
      case .section(let start), .run(let start): start
      }
    }
  }

  /// Shorter text is not worth a call of libxml2's.
  private static let shortest = 128
  private static let sectionMark: StaticString = "<![CDATA["

  /// Where the text of the next section begins, or where the bytes end; nil before it was looked for.
  private var section: Int?

  /// The next text from `start` on, or nil.
  mutating func next(in bytes: Span<UInt8>, from start: Int) -> Text? {
    if section.map({ $0 <= start }) ?? true { section = Self.section(in: bytes, from: start) ?? bytes.count }
    let found = section ?? bytes.count
    let limit = found < bytes.count ? found - Self.sectionMark.utf8CodeUnitCount : found
    if let run = Self.run(in: bytes.extracting(..<limit), from: start) { return .run(run) }
    return found < bytes.count ? .section(found) : nil
  }

  /// Where the text of a section begins that does not end soon.
  private static func section(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var from = start
    while let bracket = bytes.firstIndex(of: UInt8(ascii: "["), from: from) {
      from = bracket + 1
      let mark = bracket - 2
      guard mark >= start, bytes.hasPrefix(sectionMark, at: mark) else { continue }
      let text = mark + sectionMark.utf8CodeUnitCount
      var end = SectionText()
      let beginning = bytes.extracting(text..<min(text + shortest, bytes.count))
      guard let short = end.look(in: beginning).end else { return text }
      from = text + short
    }
    return nil
  }

  /// Where character data begins behind a tag that goes on for long.
  private static func run(in bytes: Span<UInt8>, from start: Int) -> Int? {
    guard var tag = bytes.firstIndex(of: UInt8(ascii: "<"), from: start) else { return nil }
    while bytes.count - tag > shortest {
      // Where tags are close together, only the last of those so near is looked at.
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
