import ArgumentParser

/// The formats of a list of articles.
enum ArticleFormat: String, ListFormat {
  case table, json, csv, tsv, jsonfeed, rss

  /// The format of the document; nil for lines.
  var document: (any FeedText.Type)? {
    switch self {
    case .jsonfeed: JSONFeedText.self
    case .rss: RSSText.self
    case .table, .json, .csv, .tsv: nil
    }
  }
}
