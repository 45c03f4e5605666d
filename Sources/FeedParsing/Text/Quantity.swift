internal import Markup

/// Reads numbers as feeds write them. Texts that are not numbers, and negative or absurdly large numbers, are
/// nil.
enum Quantity {
  /// The largest number: no file and no duration is longer.
  private static let largest: Int64 = 1 << 50

  /// Reads a whole number. Thousands may be grouped by commas (`1,234`), a fraction is dropped, and a unit
  /// such as `px` or `bytes` is allowed.
  static func whole(_ text: Span<UInt8>) -> Int64? {
    var index = text.skippingSpace(from: 0)
    guard let first = digits(text, &index) else { return nil }
    var value = first.value
    while index < text.count, text[index] == UInt8(ascii: ",") {
      index += 1
      guard first.count <= 3, let group = digits(text, &index), group.count == 3, value < largest / 1000
      else {
        return nil
      }
      value = value * 1000 + group.value
    }
    skipFraction(text, &index)
    index = text.skippingSpace(from: index)
    let unit = text.extracting(index...)
    let isKnown =
      unit.count == 0 || unit.equalsIgnoringCase("px") || unit.equalsIgnoringCase("b")
      || unit.equalsIgnoringCase("byte") || unit.equalsIgnoringCase("bytes")
    return isKnown ? value : nil
  }

  /// Reads a duration in seconds; a fraction is dropped: `1:02:03`, `62:03`, `3723`, `3723.5`, `PT1H2M3S`,
  /// `1h 2m 3s`.
  static func seconds(_ text: Span<UInt8>) -> Int64? {
    for index in 0..<text.count where text[index].isASCIILetter { return secondsWithUnits(text) }
    var index = text.skippingSpace(from: 0)
    var total: Int64 = 0
    for part in 0..<3 {
      // ":30" is half a minute.
      let isEmpty = part == 0 && index < text.count && text[index] == UInt8(ascii: ":")
      guard let number = isEmpty ? (value: 0, count: 0) : digits(text, &index), number.value < largest / 4096
      else { return nil }
      total = total * 60 + number.value
      index = text.skippingSpace(from: index)
      guard index < text.count, text[index] == UInt8(ascii: ":") else { break }
      index = text.skippingSpace(from: index + 1)
    }
    skipFraction(text, &index)
    return text.skippingSpace(from: index) == text.count ? total : nil
  }

  /// Reads numbers, each with a word that begins with d, h, m or s. `P` and `T` belong to ISO 8601.
  private static func secondsWithUnits(_ text: Span<UInt8>) -> Int64? {
    var index = text.skippingSpace(from: 0)
    var total: Int64?
    while index < text.count, isMark(text[index]) { index += 1 }
    while index < text.count {
      guard let number = digits(text, &index), number.value < largest / 86_400 else { return nil }
      skipFraction(text, &index)
      index = text.skippingSpace(from: index)
      guard index < text.count, let unit = unit(text[index]) else { return nil }
      total = (total ?? 0) + number.value * unit
      if total ?? 0 > largest { return nil }
      index += 1
      while index < text.count, text[index].isASCIILetter { index += 1 }
      while index < text.count, text[index].isXMLSpace || text[index] == UInt8(ascii: ",") { index += 1 }
    }
    return total
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte | 0x20 == UInt8(ascii: "p") || byte | 0x20 == UInt8(ascii: "t")
  }

  private static func unit(_ byte: UInt8) -> Int64? {
    switch byte | 0x20 {
    case UInt8(ascii: "d"): 86_400
    case UInt8(ascii: "h"): 3600
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "s"): 1
    default: nil
    }
  }

  private static func digits(_ text: Span<UInt8>, _ index: inout Int) -> (value: Int64, count: Int)? {
    let start = index
    var value: Int64 = 0
    while index < text.count, text[index].isASCIIDigit {
      value = value * 10 + Int64(text[index] &- 0x30)
      if value > largest { return nil }
      index += 1
    }
    return index > start ? (value, index - start) : nil
  }

  private static func skipFraction(_ text: Span<UInt8>, _ index: inout Int) {
    guard index < text.count, text[index] == UInt8(ascii: ".") else { return }
    index += 1
    while index < text.count, text[index].isASCIIDigit { index += 1 }
  }
}

extension Quantity {
  /// Reads a whole number from a string; nil for nil.
  static func whole(_ text: String?) -> Int64? { text.flatMap { whole(Array($0.utf8).span) } }

  /// Reads a duration from a string; nil for nil.
  static func seconds(_ text: String?) -> Int64? { text.flatMap { seconds(Array($0.utf8).span) } }

  /// Reads a decimal number; nil if the text is not a finite number.
  static func decimal(_ text: String?) -> Double? {
    text.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Reads the words used in `itunes:explicit`, `itunes:block`, `podcast:locked` and similar elements.
  static func flag(_ text: String?) -> Bool? {
    switch text?.lowercased() {
    case "yes", "true", "explicit", "1": true
    case "no", "false", "clean", "0": false
    default: nil
    }
  }
}
