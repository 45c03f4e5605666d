import ArgumentParser

/// How a list of articles can be printed.
enum ArticleFormat: String, ListFormat {
  case table, json, csv, tsv, jsonfeed, rss

  /// The document that it is; nil for lines.
  var document: FeedDocumentFormat? { FeedDocumentFormat(rawValue: rawValue) }
}
