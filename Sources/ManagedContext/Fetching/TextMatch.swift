internal import Foundation

/// The differences that a text condition ignores. Without options, texts are compared byte by byte.
public struct TextOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Upper and lower case are the same, by Unicode's mappings, also of one letter to several: `"STRASSE"` matches
  /// `"Straße"`.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// Accents on Latin, Greek and Cyrillic letters are ignored: `"Zoe"` matches `"Zoë"`, in either spelling of the
  /// accent. Other scripts keep their marks.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)

  /// Creates a set from its bits; unknown ones are dropped.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue & 3
  }

  /// Returns a text without the differences that are ignored, as UTF-8.
  ///
  /// Every store compares texts in this form. Foundation's `folding(options:locale:)` would need the data of languages.
  public func folded(_ text: String) -> [UInt8] {
    if isEmpty { return Array(text.utf8) }
    // The folding of ASCII is simple, and a hundred times faster than the general one.
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      guard contains(.caseInsensitive) else { return Array(text.utf8) }
      return text.utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
    }
    let text = contains(.diacriticInsensitive) ? Self.withoutAccents(text) : text
    return contains(.caseInsensitive) ? Array(Self.inOneCase(text).utf8) : Array(text.utf8)
  }

  private static func inOneCase(_ text: String) -> String {
    var folded = ""
    for scalar in text.unicodeScalars {
      let lower = scalar.properties.lowercaseMapping
      if scalar.value < 0x80 || scalar == dotlessI {
        folded += lower
      } else {
        // Letters with the same capitals are the same: s and the long s, the two forms of sigma, ss and ß.
        let upper = lower.unicodeScalars.map(\.properties.uppercaseMapping).joined()
        folded += upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
      }
    }
    return folded
  }

  /// A letter of its own, although its capital is that of i.
  private static let dotlessI: Unicode.Scalar = "\u{131}"

  /// Returns a text without the marks on Latin, Greek and Cyrillic letters, composed.
  private static func withoutAccents(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    var isOnLetter = false
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if scalar.properties.canonicalCombiningClass == .notReordered {
        isOnLetter = lettersWithAccents.contains { $0.contains(scalar.value) }
      } else if isOnLetter {
        continue
      }
      kept.append(scalar)
    }
    return String(kept).precomposedStringWithCanonicalMapping
  }

  /// Unicode's blocks with letters of the three scripts.
  private static let lettersWithAccents: [ClosedRange<UInt32>] = [
    0x41...0x24F, 0x370...0x52F, 0x1C80...0x1C8F, 0x1E00...0x1FFF, 0x2C60...0x2C7F, 0x2DE0...0x2DFF,
    0xA640...0xA69F,
    0xA720...0xA7FF,
  ]
}

/// A search for one text in others, which gives the same answers in every store.
public final class TextMatch: Sendable {
  private enum Step: Hashable {
    case byte(UInt8)
    /// Any Unicode scalar.
    case one
    /// Any number of bytes.
    case many
  }

  private let match: StorePredicate.Match
  private let options: TextOptions
  private let wanted: [UInt8]
  /// The pattern's parts, for ``StorePredicate/Match/pattern``.
  private let steps: [Step]

  /// Creates a search for a text, or for texts with a pattern.
  public init(_ match: StorePredicate.Match, _ text: String, _ options: TextOptions) {
    (self.match, self.options) = (match, options)
    wanted = options.folded(text)
    steps = match == .pattern ? Self.steps(wanted) : []
  }

  /// Returns whether a text matches.
  public func matches(_ text: String) -> Bool {
    if options.isEmpty {
      var text = text
      return text.withUTF8(isFound)
    }
    return options.folded(text).withUnsafeBufferPointer(isFound)
  }

  /// Returns whether a text, given as UTF-8, matches. Invalid parts never do.
  public func matches(_ text: Span<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { bytes in
      options.isEmpty ? isFound(bytes) : matches(String(decoding: bytes, as: UTF8.self))
    }
  }

  private func isFound(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    switch match {
    case .whole: text.elementsEqual(wanted)
    case .prefix: text.starts(with: wanted)
    case .suffix: text.suffix(wanted.count).elementsEqual(wanted)
    case .part: text.contains(wanted)
    case .pattern: isPattern(of: text)
    }
  }

  // MARK: Patterns

  /// Splits a pattern: `*` and `?` are wildcards, unless a backslash precedes them.
  private static func steps(_ pattern: [UInt8]) -> [Step] {
    var steps: [Step] = []
    var rest = pattern[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*"): steps.append(.many)
      case UInt8(ascii: "?"): steps.append(.one)
      case UInt8(ascii: "\\"): steps.append(.byte(rest.popFirst() ?? byte))
      default: steps.append(.byte(byte))
      }
    }
    return steps
  }

  /// Returns whether a pattern covers a whole text. Only the last `*` needs to be tried at other places, because
  /// the first place that fits leaves most of the text to it.
  private func isPattern(of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (place, step) = (0, 0)
    var retry: (step: Int, place: Int)?
    while place < text.count {
      switch step < steps.count ? steps[step] : nil {
      case .many:
        step += 1
        retry = (step, place)
        continue
      case .one:
        (step, place) = (step + 1, Self.endOfScalar(text, place))
        continue
      case .byte(text[place]):
        (step, place) = (step + 1, place + 1)
        continue
      default: break
      }
      guard let last = retry else { return false }
      place = Self.endOfScalar(text, last.place)
      (step, retry) = (last.step, (last.step, place))
    }
    return steps[step...].allSatisfy { $0 == .many }
  }

  private static func endOfScalar(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
    var end = place + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
