public import ManagedContext

/// A change to an article or its marks, in a transaction in the store's history.
public struct ArticleEvent {
  /// The kind of an event.
  public enum Change {
    case insert
    /// The article has other values; nil if it no longer exists.
    case update(ArticleUpdate?)
    /// The article has moved to another feed, which it has now.
    case move
    /// The article was deleted; the feed and guid come from its last values.
    case delete(feed: ManagedObjectID?, guid: String?)
    case mark(ArticleMark, isSet: Bool)
  }

  /// The article.
  public let id: ManagedObjectID
  /// The event's number in its transaction, from 1.
  public let position: Int
  /// The change.
  public let change: Change
  /// The article as it is now; nil if it was deleted.
  public let article: StoredRow<Article>?
}

/// The old and new values in an article change.
public struct ArticleUpdate: Sendable {
  /// A changed field.
  public struct Field: Sendable {
    /// The attribute's name.
    public let name: String
    /// The values before and after the change.
    public let (old, new): (AttributeValue, AttributeValue)
  }

  /// The change's kinds, or the kinds of the change into which it was merged; nil if unknown.
  public let kinds: ChangeKinds?
  /// The changed fields; nil if the change has no separate version, because it was merged into the previous
  /// one.
  public let fields: [Field]?

  /// Creates a value.
  public init(kinds: ChangeKinds?, fields: [Field]?) {
    (self.kinds, self.fields) = (kinds, fields)
  }
}

extension ArticleUpdate {
  /// Describes an article change.
  ///
  /// - Parameters:
  ///   - replaced: The values that the change replaced.
  ///   - written: The attributes that its transaction wrote.
  /// - Returns: Nil if it changed nothing that versions keep.
  init?(_ replaced: ReplacedValues, written: AttributeSet) {
    guard replaced.changes.isEmpty else {
      self.init(
        kinds: replaced.changes.reduce(into: ChangeKinds()) { $0.formUnion(ChangeKinds(of: $1)) },
        fields: replaced.values.map {
          Field(name: Article.entity.description.attributes[$0.attribute].name, old: $0.old, new: $0.new)
        })
      return
    }
    guard !written.isDisjoint(with: AttributeSet(indexes: Article.versionedIndexes)) else { return nil }
    let kinds: ChangeKinds? =
      switch ArticleChange(written: written) {
      case .markup: .markup
      case .dates: .dates
      case .volatile: .volatile
      // Only a change to the same fields is merged, so its kinds are the previous change's kinds.
      case .edit, nil: replaced.target.map(ChangeKinds.init(of:))
      }
    self.init(kinds: kinds, fields: nil)
  }
}
