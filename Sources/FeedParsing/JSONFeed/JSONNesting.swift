internal import Markup

extension JSONSplitter {
  /// How much of `},{`, what stands between two objects of an array, a string ends with; white space may be in it.
  ///
  /// A string that ends with all of it, and behind which a letter follows, is none: there the quotation marks have got
  /// out of step, and the next object begins.
  enum Boundary {
    case none, endBrace, comma, brace

    /// Reads more of the string: what is before the last few characters does not count.
    mutating func read(_ text: Span<UInt8>, _ range: Range<Int>) {
      var start = range.upperBound
      while start > range.lowerBound, Self.mayStandInIt(text[start - 1]) { start -= 1 }
      if start > range.lowerBound { self = .none }
      for index in start..<range.upperBound { read(text[index]) }
    }

    private mutating func read(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "}"): self = .endBrace
      case UInt8(ascii: ","): self = self == .endBrace ? .comma : .none
      case UInt8(ascii: "{"): self = self == .comma ? .brace : .none
      default: break
      }
    }

    private static func mayStandInIt(_ byte: UInt8) -> Bool {
      byte.isXMLSpace || byte == UInt8(ascii: "}") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "{")
    }
  }
}

/// Which brackets of JSON are open.
///
/// Of the outer ones the kind is known, so that a bracket of the wrong kind is noticed and what it closes is
/// found; the ones that are too deep are only counted.
struct JSONNesting {
  /// What a closing bracket means.
  enum Closing {
    /// It closes what was opened last.
    case matches
    /// It closes what was opened earlier, and with it what nobody closed.
    case closesMore
    /// It closes something around the value that is read: that value was never closed.
    case endsValue
    /// It closes nothing.
    case stray
  }

  /// Of how many brackets the kind is known.
  static let deepest = 64

  /// How many brackets are open.
  private(set) var depth = 0
  /// Bit n is set where bracket n + 1 is that of an object.
  private var objects: UInt64 = 0

  mutating func open(isObject: Bool) {
    if depth < Self.deepest {
      let bit: UInt64 = 1 << UInt64(depth)
      objects = isObject ? objects | bit : objects & ~bit
    }
    depth += 1
  }

  /// Takes a closing bracket; what stands open at `base` and outside of it stays so.
  mutating func close(isObject: Bool, above base: Int) -> Closing {
    if depth > Self.deepest || (depth > base && self.isObject(depth) == isObject) {
      depth -= 1
      return .matches
    }
    var level = depth
    while level > 0, self.isObject(level) != isObject { level -= 1 }
    if level == 0 { return .stray }
    if level > base {
      depth = level - 1
      return .closesMore
    }
    depth = base
    return .endsValue
  }

  private func isObject(_ level: Int) -> Bool { objects >> UInt64(level - 1) & 1 == 1 }
}
