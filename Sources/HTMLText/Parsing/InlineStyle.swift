/// The declarations in a `style` attribute that decide whether an element is visible.
struct InlineStyle {
  /// The values by their properties, in lower case and without white space. The last value for a property
  /// counts.
  private var values: [Substring: Substring] = [:]

  /// - Parameter text: Declarations (CSS Style Attributes, section 3). Invalid ones are skipped.
  init(_ text: String) {
    let rules = Self.removingComments(text.lowercased()).filter { !$0.isWhitespace }
    for declaration in rules.split(separator: ";") {
      let parts = declaration.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      values[parts[0]] = parts[1].prefix { $0 != "!" }
    }
  }

  /// True if the element's content is not shown at all.
  var hidesContent: Bool {
    values["display"] == "none" || values["visibility"] == "hidden" || values["visibility"] == "collapse"
      || values["content-visibility"] == "hidden" || isPreheader
  }

  /// True for a newsletter's preview text, which only mail lists show. A height of 0 alone does not hide a
  /// text, because a script may open it.
  private var isPreheader: Bool {
    values["overflow"] == "hidden" && isZero("max-height")
      && (isZero("opacity") || isZero("max-width") || isZero("font-size"))
  }

  /// True for a picture with at most one pixel, which counts readers.
  var isTiny: Bool {
    func isTiny(_ property: Substring) -> Bool { isZero(property) || values[property] == "1px" }
    return isTiny("width") && isTiny("height")
  }

  private func isZero(_ property: Substring) -> Bool {
    guard let value = values[property] else { return false }
    return value == "0" || value == "0px"
  }

  private static func removingComments(_ text: String) -> String {
    guard text.contains("/*") else { return text }
    var (kept, rest) = ("", text[...])
    while let start = rest.firstRange(of: "/*") {
      kept += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstRange(of: "*/") else { return kept }
      rest = rest[end.upperBound...]
    }
    return kept + rest
  }
}
