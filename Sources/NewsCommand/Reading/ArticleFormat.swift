import ArgumentParser

/// The formats of a list of articles.
enum ArticleFormat: String, ListFormat {
  case table, json, csv, tsv, jsonfeed, rss

  /// The format of the document; nil for lines.
  var document: FeedDocumentFormat? { FeedDocumentFormat(rawValue: rawValue) }
}
