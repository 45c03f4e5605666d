public import ManagedContext

/// A change of an article, or of one of its marks, in a transaction of the store's history.
public struct ArticleEvent {
  /// The kind of an event.
  public enum Change {
    case insert
    /// The article has other values; nil if it no longer exists.
    case update(ArticleUpdate?)
    /// The article was deleted; its feed and its guid are those of its last values.
    case delete(feed: ManagedObjectID?, guid: String?)
    case mark(ArticleMark, isSet: Bool)
  }

  /// The article.
  public let id: ManagedObjectID
  /// The number of the event in its transaction, from 1.
  public let position: Int
  /// The change.
  public let change: Change
  /// The article as it is now; nil if it was deleted.
  public let article: ArticleRow?
}

/// The old and new values of a change of an article.
public struct ArticleUpdate: Sendable {
  /// A changed field.
  public struct Field: Sendable {
    /// The name of the attribute.
    public let name: String
    /// The values before and after the change.
    public let (old, new): (AttributeValue, AttributeValue)
  }

  /// The kinds of the change; nil if they are not known.
  public let kinds: ChangeKinds?
  /// The changed fields; nil if the change has no version of its own, because it was merged into the one before.
  public let fields: [Field]?
}

extension PersistentStoreCoordinator {
  /// Returns the values that a transaction changed of an article; nil if it changed nothing that versions keep.
  ///
  /// - Parameters:
  ///   - article: The article, which was read before.
  ///   - transaction: The number of the transaction.
  ///   - written: The attributes that it wrote.
  func update(
    of article: ArticleRow, in transaction: Int64, written: AttributeSet
  ) throws(StoreError) -> ArticleUpdate? {
    let versions = try versions(of: article.id)
    // If saves are committed together, a transaction may have ended several versions.
    let ended = versions.filter { $0.transaction == transaction }
    guard let first = ended.first, let last = ended.last else {
      guard !written.isDisjoint(with: AttributeSet(indexes: Article.versionedIndexes)),
        versions.contains(where: { $0.mergedChanges > 0 })
      else { return nil }
      let kinds: ChangeKinds? =
        switch ArticleChange(written: written) {
        case .markup: .markup
        case .dates: .dates
        case .volatile: .volatile
        case .edit, nil: nil
        }
      return ArticleUpdate(kinds: kinds, fields: nil)
    }
    let changed = ended.reduce(into: AttributeSet()) { $0.formUnion($1.change.attributes) }
    let indexes = Article.versionedIndexes.filter { changed.contains(AttributeSet(index: $0)) }
    let old = try values(ofVersion: first.number, of: article.id, only: changed)
    // Without a later version, the new values are the current ones.
    let new =
      last.number == versions.last?.number
      ? indexes.map(article.value(ofAttribute:))
      : try values(ofVersion: last.number + 1, of: article.id, only: changed)
    let fields = zip(indexes, zip(old, new)).map { index, values in
      ArticleUpdate.Field(
        name: Article.entity.attributes[index].name, old: values.0, new: values.1)
    }
    let kinds = ended.reduce(into: ChangeKinds()) { $0.formUnion(ChangeKinds(of: $1.change)) }
    return ArticleUpdate(kinds: kinds, fields: fields)
  }
}
