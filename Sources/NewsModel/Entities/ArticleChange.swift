package import ManagedContext

/// What a change of an article means to its readers, by its ``ChangeKinds``.
///
/// An import writes different attributes for each, so that the history of a store distinguishes them, too.
package enum ArticleChange: Sendable {
  /// Something to read has changed. It counts in ``Article/edits``.
  case edit
  /// Markup alone, or markup and dates.
  case markup
  /// Dates alone.
  case dates
  /// Fields that the user's configuration names as volatile, and perhaps markup and dates.
  case volatile

  /// Nil if nothing that readers see has changed.
  package init?(_ kinds: ChangeKinds) {
    if kinds.isEmpty { return nil }
    if kinds.isEdit {
      self = .edit
    } else if kinds.contains(.volatile) {
      self = .volatile
    } else {
      self = kinds.contains(.markup) ? .markup : .dates
    }
  }

  /// Reads the change from the attributes that an import wrote; nil if the change was not an import's, such as that of a
  /// mark.
  package init?(written: AttributeSet) {
    guard written.contains(Article.Key.contentHash) else { return nil }
    if written.contains(Article.Key.edits) {
      self = .edit
    } else if written.contains(Article.Key.contentHTML) {
      self = written.contains(Article.Key.story) ? .markup : .volatile
    } else {
      self = .dates
    }
  }
}
