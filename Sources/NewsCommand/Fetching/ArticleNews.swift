import ManagedContext
import NewsModel

/// The new articles, and the articles that their publishers edited, among saved changes.
struct ArticleNews: Equatable {
  /// The articles in the order in which they were first saved.
  let articles: [ManagedObjectID]
  private let edited: Set<ManagedObjectID>

  /// Selects the articles from changes. A changed mark or region of an article does not count as an edit.
  init(_ changes: ContextChanges) {
    let inserted = changes.inserted.filter { $0.entity == NewsModel.Place.article }
    edited = Self.edited(in: changes)
    articles = (inserted + edited).sorted { $0.key < $1.key }
  }

  /// Returns the articles with changed content.
  static func edited(in changes: ContextChanges) -> Set<ManagedObjectID> {
    Set(
      changes.updated.filter {
        $0.key.entity == NewsModel.Place.article && $0.value.contains(Article.Key.contentHash)
      }.keys)
  }

  /// Returns true if the article existed before and was edited.
  func isEdit(_ article: ManagedObjectID) -> Bool { edited.contains(article) }
}
