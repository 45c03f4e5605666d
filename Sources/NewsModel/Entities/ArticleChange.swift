package import ManagedContext

/// The meaning of an article change for readers, by its ``ChangeKinds``.
///
/// An import writes different attributes for each case, so that a store's history also distinguishes them.
package enum ArticleChange: Sendable {
  /// A part that people read has changed. It counts in ``Article/edits``.
  case edit
  /// Only markup, or markup and dates.
  case markup
  /// Only dates.
  case dates
  /// Fields that the user's configuration names as volatile, and perhaps markup and dates.
  case volatile

  /// Creates the change; nil if readers see no difference.
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

  /// Reads the change from the attributes that an import wrote; nil if it does not come from an import, as
  /// for a mark.
  package init?(written: AttributeSet) {
    guard written.contains(Article.schema.contentHash) else { return nil }
    if written.contains(Article.schema.edits) {
      self = .edit
    } else if written.contains(Article.schema.contentHTML) {
      self = written.contains(Article.schema.story) ? .markup : .volatile
    } else {
      self = .dates
    }
  }
}
