import NewsModel

/// The article counts for one document.
struct ArticleCounts: Sendable {
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

  /// The stored articles with a change that readers see.
  var changes: Int { edited + markupChanges + dateChanges }
  var hasNews: Bool { inserted + edited > 0 }

  /// Counts a change to a stored article; nil if readers see none.
  mutating func add(_ change: ArticleChange?) {
    switch change {
    case .edit: edited += 1
    case .markup: markupChanges += 1
    case .dates: dateChanges += 1
    case .volatile, nil: break
    }
  }
}
