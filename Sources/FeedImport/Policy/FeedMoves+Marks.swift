import ManagedContext
import NewsModel

extension FeedMoves {
  /// Moves the marks on articles that are about to be deleted to the articles that replace them.
  ///
  /// - Parameter kept: The article that stays, for each deleted one.
  static func passMarks(
    _ kept: [ManagedObjectID: ManagedObjectID], in context: ManagedObjectContext
  ) throws(StoreError) {
    try pass(ReadMark.self, \.article, kept, in: context)
    try pass(Star.self, \.article, kept, in: context)
  }

  /// Moves failed hook events from articles that are about to be deleted to the articles that replace them.
  static func passHookFailures(
    _ kept: [ManagedObjectID: ManagedObjectID], in context: ManagedObjectContext
  ) throws(StoreError) {
    if kept.isEmpty { return }
    let heirs = Dictionary(kept.map { ($0.key.key, $0.value.key) }, uniquingKeysWith: { first, _ in first })
    for failure in try context.fetch(
      FetchRequest(HookFailure.self, where: .among(\.article, heirs.keys.map(Optional.some))))
    {
      failure.article = failure.article.flatMap { heirs[$0] }
    }
  }

  private static func pass<Mark: ManagedObject>(
    _ type: Mark.Type, _ article: any ReferenceWritableKeyPath<Mark, ManagedObjectID> & Sendable,
    _ kept: [ManagedObjectID: ManagedObjectID], in context: ManagedObjectContext
  ) throws(StoreError) {
    if kept.isEmpty { return }
    let marks = try context.fetch(
      FetchRequest(Mark.self, where: .among(article, Array(kept.keys) + Array(kept.values))))
    var marked = Set(marks.map { $0[keyPath: article] })
    for mark in marks {
      guard let heir = kept[mark[keyPath: article]] else { continue }
      if marked.insert(heir).inserted { mark[keyPath: article] = heir } else { context.delete(mark) }
    }
  }

  /// Keeps a merged feed's deleted articles from coming back.
  static func moveTombstones(
    of old: Feed, to other: Feed, in context: ManagedObjectContext
  ) throws(StoreError) {
    let known = Set(
      try context.fetch(FetchRequest(Tombstone.self, where: \.feed == other.id)).map(\.guidHash))
    for tombstone in try context.fetch(FetchRequest(Tombstone.self, where: \.feed == old.id)) {
      if known.contains(tombstone.guidHash) {
        context.delete(tombstone)
      } else {
        tombstone.feed = other.id
      }
    }
  }
}
