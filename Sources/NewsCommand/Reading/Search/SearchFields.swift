import ArticleDocuments
import TextSearch

/// The fields for a found article.
enum SearchFields: RecordFields {
  typealias Format = ArticleFormat

  static let all: [RecordField<ListedArticle>] = ArticleFields.all + [snippet]
  static let standard: [RecordField<ListedArticle>] = ArticleFields.standard + [snippet]

  /// The text around the hits, each of them in «»; the title if all hits are in it.
  private static let snippet = RecordField<ListedArticle>("snippet") {
    ($0.hits?.snippet ?? $0.hits?.title)?.text { "«\($0)»" }
  }
}
