public import TextSearch

extension SearchExpression {
  /// The query in FTS5 syntax (sqlite.org/fts5.html#full_text_query_syntax). User text is never syntax.
  public var text: String { condition.text }
}

extension SearchExpression.Condition {
  fileprivate var text: String {
    switch self {
    case .phrase(let text, let isBeginning): "\"\(text)\"" + (isBeginning ? " *" : "")
    // It was replaced by words from an index.
    case .part: Self.nothing
    case .any(let parts) where parts.isEmpty: Self.nothing
    case .all(let parts): "(" + parts.map(\.text).joined(separator: " AND ") + ")"
    case .any(let parts): "(" + parts.map(\.text).joined(separator: " OR ") + ")"
    case .excluding(let wanted, let unwanted):
      "(\(wanted.enclosedText)" + unwanted.map { " NOT \($0.text)" }.joined() + ")"
    case .column(let name, let condition): "(\(name) : \(condition.text))"
    }
  }

  /// A word that no text contains: in folded texts, such characters occur only in emoji.
  private static let nothing = "\"\u{FFFFD}\""

  private var enclosedText: String {
    if case .all = self { text } else { "(\(text))" }
  }
}
