import ArticleDocuments
import ManagedContext
import SQLiteStore
import TextOutput
import TextSearch

extension ArticleSearch {
  /// Finds search words in article texts, by the rules that all indexes use.
  ///
  /// - Returns: The hits in each article; nil for one that does not match.
  static func highlights(
    of expression: SearchExpression, in texts: [[String]]
  ) throws(StoreError) -> [SearchHighlights?] {
    try SearchIndex.highlights(of: expression, in: texts, columns: columns.map(\.name))
  }
}

extension OpenAttachment {
  /// Opens the attached store's index in a file.
  func wordIndex(at path: String) throws(StoreError) -> any WordIndex {
    try SearchIndex(of: store, ArticleSearch.source, path: path)
  }
}

extension StoreLocation {
  /// Returns the failure for an index that cannot be created.
  ///
  /// - Parameter index: The index's name.
  func cannotWrite(index: String) -> CommandFailure {
    let who =
      switch self {
      case .file: "may write into the store's folder"
      case .server: "may write the store's tables"
      }
    return CommandFailure(
      .cannotCreate,
      "\(printable(index)): the search index cannot be written; run newsimport store index as a user who \(who)"
    )
  }
}
