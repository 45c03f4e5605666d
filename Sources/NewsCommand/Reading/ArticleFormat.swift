import ArgumentParser
import ArticleDocuments

enum ArticleFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, csv, tsv, jsonfeed, rss, mbox

  /// Returns the writer for one document; nil for lines.
  ///
  /// - Parameter title: The title for a feed with the articles.
  func document(title: String) -> (any ArticleDocument)? {
    switch self {
    case .jsonfeed: FeedDocument(JSONFeedText.self, FeedChannel(title: title))
    case .rss: FeedDocument(RSSText.self, FeedChannel(title: title))
    case .mbox: MailFolder()
    case .table, .json, .csv, .tsv: nil
    }
  }
}

extension ArticleFields: RecordFields {
  typealias Format = ArticleFormat
}
