/// The HTML elements that end where another element begins, because their end tags may be omitted (HTML Standard,
/// section 13.1.2.4).
struct OptionalEnd {
  /// The relation of an open element to an element that begins in it.
  enum Meeting {
    /// It ends there.
    case ended
    /// It may be inside an element that ends.
    case inside
    /// No element outside it ends.
    case outside
  }

  /// The names of the elements that end, and of those that are a boundary.
  private let ended: [StaticString]
  private let outside: [StaticString]

  /// Creates the rule of an element; nil for an element that ends no other.
  init?(of name: Span<UInt8>) {
    guard name.count <= 8, let group = Self.groups.first(where: { Self.contains($0.begun, name) }) else {
      return nil
    }
    (ended, outside) = (group.ended, group.outside)
  }

  func meets(_ name: Span<UInt8>) -> Meeting {
    if Self.contains(ended, name) { return .ended }
    return Self.contains(outside, name) ? .outside : .inside
  }

  private static func contains(_ names: [StaticString], _ name: Span<UInt8>) -> Bool {
    names.contains { name.equalsIgnoringCase($0) }
  }

  private static let groups: [(begun: [StaticString], ended: [StaticString], outside: [StaticString])] = [
    (["p"], ["p"], ["li", "td", "th", "dd", "dt", "div", "table", "blockquote", "object", "section"]),
    (["li"], ["li"], ["ul", "ol", "menu", "table"]), (["dt", "dd"], ["dt", "dd"], ["dl", "table"]),
    (["td", "th"], ["td", "th"], ["tr", "table"]), (["tr"], ["tr"], ["table"]),
    (["option"], ["option"], ["select"]),
  ]
}
