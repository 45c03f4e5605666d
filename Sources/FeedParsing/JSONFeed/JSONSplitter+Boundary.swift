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
