import NewsModel

/// The numbers of the articles of a document.
struct ArticleCounts: Sendable {
  /// The number of new articles.
  var inserted = 0
  /// The number of stored articles that were edited.
  var edited = 0
  /// The number of articles whose markup changed, without an edit.
  var markupChanges = 0
  /// The number of articles whose dates alone changed.
  var dateChanges = 0
  /// The number of articles that the user's filter excluded.
  var skipped = 0
  /// The number of items with the guid, link, title and date of another item.
  var joined = 0

  /// The number of stored articles that have changed in any way that readers see.
  var changes: Int { edited + markupChanges + dateChanges }
  /// True if an article is new or edited.
  var hasNews: Bool { inserted + edited > 0 }

  /// Counts a change of a stored article; nil if readers see none.
  mutating func add(_ change: ArticleChange?) {
    switch change {
    case .edit: edited += 1
    case .markup: markupChanges += 1
    case .dates: dateChanges += 1
    case .volatile, nil: break
    }
  }
}
