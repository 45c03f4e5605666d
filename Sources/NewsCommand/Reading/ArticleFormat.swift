import ArgumentParser

/// The formats of a list of articles.
enum ArticleFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, csv, tsv, jsonfeed, rss, mbox

  /// Returns the writer of one document; nil for lines.
  ///
  /// - Parameter title: The title of a feed of the articles.
  func document(title: String) -> (any ArticleDocument)? {
    switch self {
    case .jsonfeed: FeedDocument(JSONFeedText.self, FeedChannel(title: title))
    case .rss: FeedDocument(RSSText.self, FeedChannel(title: title))
    case .mbox: MailFolder()
    case .table, .json, .csv, .tsv: nil
    }
  }
}
