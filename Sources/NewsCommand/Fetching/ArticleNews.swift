import ManagedContext
import NewsModel

/// The new articles, and the articles that their publishers changed, among saved changes.
struct ArticleNews: Equatable {
  enum Event: Equatable {
    case new
    case changed(ArticleChange)
  }

  /// The articles in the order in which they were first saved.
  let articles: [ManagedObjectID]
  private let changed: [ManagedObjectID: ArticleChange]

  /// Selects articles from changes. Changed marks and regions do not count.
  ///
  /// - Parameter all: True to include changes that affect only markup or dates. Changes that affect only
  ///   volatile fields are never included.
  init(_ changes: ContextChanges, all: Bool) {
    let inserted = changes.inserted.filter { $0.entity == NewsModel.Place.article }
    changed = Self.changed(in: changes).filter { $0.value == .edit || all && $0.value != .volatile }
    articles = (inserted + changed.keys).sorted { $0.key < $1.key }
  }

  /// Counts edited articles.
  static func editCount(in changes: ContextChanges) -> Int {
    changed(in: changes).count { $0.value == .edit }
  }

  private static func changed(in changes: ContextChanges) -> [ManagedObjectID: ArticleChange] {
    changes.updated.filter { $0.key.entity == NewsModel.Place.article }.compactMapValues(ArticleChange.init)
  }

  /// Returns the event for an article in ``articles``.
  func event(of article: ManagedObjectID) -> Event { changed[article].map(Event.changed) ?? .new }
}
