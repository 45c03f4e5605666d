package import TextSearch

extension SearchExpression {
  /// The query in FTS5 syntax (sqlite.org/fts5.html#full_text_query_syntax). No text of the user is interpreted as syntax.
  package var text: String { condition.text }
}

extension SearchExpression.Condition {
  fileprivate var text: String {
    switch self {
    case .phrase(let text, let isBeginning): "\"\(text)\"" + (isBeginning ? " *" : "")
    // Words of an index were put in its place.
    case .part: Self.nothing
    case .any(let parts) where parts.isEmpty: Self.nothing
    case .all(let parts): "(" + parts.map(\.text).joined(separator: " AND ") + ")"
    case .any(let parts): "(" + parts.map(\.text).joined(separator: " OR ") + ")"
    case .excluding(let wanted, let unwanted):
      "(\(wanted.enclosedText)" + unwanted.map { " NOT \($0.text)" }.joined() + ")"
    case .column(let name, let condition): "(\(name) : \(condition.text))"
    }
  }

  /// A word that no text has: folded texts have no character of this kind that is not one of an emoji.
  private static let nothing = "\"\u{FFFFD}\""

  private var enclosedText: String {
    if case .all = self { text } else { "(\(text))" }
  }
}
