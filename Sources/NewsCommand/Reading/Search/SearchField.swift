import SQLiteStore

/// The fields of an article that was found. Scripts rely on their names.
enum SearchField: RecordField {
  typealias Format = ArticleFormat

  case article(ArticleField)
  /// The text around the hits, each of them in «»; the title if all hits are in it.
  case snippet

  static let allCases = ArticleField.allCases.map(SearchField.article) + [.snippet]
  static let standard = ArticleField.standard.map(SearchField.article) + [.snippet]

  init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  var rawValue: String {
    switch self {
    case .article(let field): field.rawValue
    case .snippet: "snippet"
    }
  }

  func value(of subject: ListedArticle) -> RecordValue {
    switch self {
    case .article(let field): field.value(of: subject)
    case .snippet:
      ((subject.hits?.snippet ?? subject.hits?.title)?.text { "«\($0)»" }).recordValue
    }
  }
}
