internal import Markup

extension JSONSplitter {
  /// The part of `},{` with which a string ends, white space aside. These characters separate two objects in
  /// an array.
  ///
  /// If a string ends with all of them, and a letter follows it, the quotation marks are out of step: it is
  /// not a string, and the next object begins.
  enum Boundary {
    case none, endBrace, comma, brace

    /// Reads more of the string; only its last characters matter.
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

/// The open brackets in JSON.
///
/// The outer brackets' kinds are known, so a closing bracket of the wrong kind is noticed and its opening
/// bracket is found. Deeper brackets are only counted.
struct JSONNesting {
  /// The effect of a closing bracket.
  enum Closing {
    /// It closes the last open bracket.
    case matches
    /// It closes an earlier bracket, and with it all brackets opened since.
    case closesMore
    /// It closes a bracket around the current value, which was never closed itself.
    case endsValue
    /// It closes no bracket.
    case stray
  }

  /// The count of brackets with a known kind.
  static let deepest = 64

  /// The count of open brackets.
  private(set) var depth = 0
  /// Bit n is set if bracket n + 1 opens an object.
  private var objects: UInt64 = 0

  mutating func open(isObject: Bool) {
    if depth < Self.deepest {
      let bit: UInt64 = 1 << UInt64(depth)
      objects = isObject ? objects | bit : objects & ~bit
    }
    depth += 1
  }

  /// Handles a closing bracket. The brackets up to the depth `base` stay open.
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
