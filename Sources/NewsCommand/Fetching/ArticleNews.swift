import ManagedContext
import NewsModel

/// The new articles, and the articles that their publishers changed, among saved changes.
struct ArticleNews: Equatable {
  /// What happened to an article.
  enum Event: Equatable {
    case new
    case changed(ArticleChange)
  }

  /// The articles in the order in which they were first saved.
  let articles: [ManagedObjectID]
  private let changed: [ManagedObjectID: ArticleChange]

  /// Selects the articles from changes. A changed mark or region of an article does not count.
  ///
  /// - Parameter all: True to select changes of markup or dates alone, too. Changes of volatile fields alone are never selected.
  init(_ changes: ContextChanges, all: Bool) {
    let inserted = changes.inserted.filter { $0.entity == NewsModel.Place.article }
    changed = Self.changed(in: changes).filter { $0.value == .edit || all && $0.value != .volatile }
    articles = (inserted + changed.keys).sorted { $0.key < $1.key }
  }

  /// Returns the number of edited articles.
  static func editCount(in changes: ContextChanges) -> Int {
    changed(in: changes).count { $0.value == .edit }
  }

  private static func changed(in changes: ContextChanges) -> [ManagedObjectID: ArticleChange] {
    changes.updated.filter { $0.key.entity == NewsModel.Place.article }.compactMapValues(ArticleChange.init)
  }

  /// Returns what happened to one of ``articles``.
  func event(of article: ManagedObjectID) -> Event { changed[article].map(Event.changed) ?? .new }
}
