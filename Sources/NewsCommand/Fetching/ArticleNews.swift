import ManagedContext
import NewsModel

/// The articles among what was saved: those that are new, and those whose publishers have edited them.
struct ArticleNews: Equatable {
  /// In the order in which they were saved first.
  let articles: [ManagedObjectID]
  private let edited: Set<ManagedObjectID>

  /// Takes them from changes; marks and moves of articles are no edits.
  init(_ changes: ContextChanges) {
    let inserted = changes.inserted.filter { $0.entity == NewsModel.Place.article }
    edited = Self.edited(in: changes)
    articles = (inserted + edited).sorted { $0.key < $1.key }
  }

  /// Returns the articles whose content changed.
  static func edited(in changes: ContextChanges) -> Set<ManagedObjectID> {
    Set(
      changes.updated.filter {
        $0.key.entity == NewsModel.Place.article && $0.value.contains(Article.Key.contentHash)
      }.keys)
  }

  /// Whether an article was there before.
  func isEdit(_ article: ManagedObjectID) -> Bool { edited.contains(article) }
}
