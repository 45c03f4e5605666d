/// What one save asks of a store, all in one transaction or not at all.
public struct ChangeSet: Sendable {
  /// A new object.
  public struct Insertion: Sendable {
    /// The temporary ID under which the context knows it.
    public let id: ManagedObjectID
    /// A value for each attribute of the entity.
    public let values: [AttributeValue]

    /// Describes the object.
    public init(id: ManagedObjectID, values: [AttributeValue]) {
      self.id = id
      self.values = values
    }
  }

  /// Other values for some attributes of an object.
  public struct Update: Sendable {
    /// The object.
    public let id: ManagedObjectID
    /// The attributes (by index) that were edited.
    public let edited: [Int]
    /// A value for each attribute of the entity, edited or not.
    public let values: [AttributeValue]
    /// The same before the edit.
    public let base: [AttributeValue]
    /// The version that the edit was made on.
    public let version: Int64

    /// Describes the edit.
    public init(
      id: ManagedObjectID, edited: [Int], values: [AttributeValue], base: [AttributeValue], version: Int64
    ) {
      self.id = id
      self.edited = edited
      self.values = values
      self.base = base
      self.version = version
    }
  }

  /// An object that goes.
  public struct Deletion: Sendable {
    /// The object.
    public let id: ManagedObjectID
    /// The version that was last seen; 0 where it was never read: whatever the store has may go.
    public let version: Int64

    /// Describes the deletion.
    public init(id: ManagedObjectID, version: Int64) {
      self.id = id
      self.version = version
    }
  }

  /// Objects to insert; a reference to one that stands here may use its temporary ID.
  public var insertions: [Insertion] = []
  /// Objects to update.
  public var updates: [Update] = []
  /// Objects to delete.
  public var deletions: [Deletion] = []
  /// Batches, after the objects, in order.
  public var batches: [BatchChange] = []
  /// What to do where another context saved an object first.
  public var mergePolicy: MergePolicy
  /// Who saves, for the history; nil for nobody in particular.
  public var author: String?

  /// An empty change set.
  public init(mergePolicy: MergePolicy, author: String? = nil) {
    self.mergePolicy = mergePolicy
    self.author = author
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && deletions.isEmpty && batches.isEmpty
  }

  /// The rows that it touches, as far as is known beforehand.
  public var rowCount: Int {
    batches.reduce(insertions.count + updates.count + deletions.count) { $0 + $1.rowCount }
  }

  /// About how much memory it holds, in bytes: what bounds the root's inbox.
  public var byteCount: Int {
    let objects =
      insertions.reduce(0) { $0 + $1.values.byteCount }
      + updates.reduce(0) { $0 + $1.values.byteCount + $1.base.byteCount } + deletions.count * 32
    return batches.reduce(objects) { $0 + $1.byteCount }
  }
}

extension [AttributeValue] {
  /// About how much memory the values hold, in bytes; what shares its text with others counts like them.
  fileprivate var byteCount: Int {
    reduce(count * 32) { total, value in
      switch value {
      case .text(let text): total + text.utf8.count
      case .bytes(let bytes): total + bytes.count
      default: total
      }
    }
  }
}

/// A change of many rows that never become objects.
public enum BatchChange: Sendable {
  /// Rows to insert or to update.
  case upsert(BatchUpsert)
  /// The same values for all rows that match.
  case update(BatchUpdate)
  /// All rows that match go.
  case delete(BatchDelete)

  var rowCount: Int {
    if case .upsert(let batch) = self { batch.rows.count } else { 1 }
  }

  var byteCount: Int {
    if case .upsert(let batch) = self { batch.rows.byteCount } else { 256 }
  }
}

/// Rows to insert, or to update where their unique attributes exist already.
public struct BatchUpsert: Sendable {
  /// The rows. A row with a key updates that row; one without is matched by ``unique``.
  public var rows: RowBatch
  /// The attributes (by index) that tell whether a row exists: one of the entity's uniqueness constraints.
  /// Empty: every row is inserted.
  public var unique: [Int]
  /// The attribute that tells whether a row changed: an existing row with the same value is left alone.
  /// Nil updates always.
  public var changeMark: Int?
  /// An integer attribute that grows by one with each update; nil for none.
  public var editCounter: Int?
  /// Attributes that keep the value of the first insert.
  public var kept: [Int]
  /// Whether rows that are updated are among the changes of the save. False for an update that changes nothing that
  /// anybody watches, such as a derived value; rows that are inserted always are.
  public var isReported = true
  /// What keeps rows from being inserted; nil for nothing.
  public var exclusion: Exclusion?

  /// Rows of another entity that keep rows of a batch from being inserted, such as marks of what was deleted. Rows that
  /// exist are updated all the same. The store looks in the transaction that writes, so that a mark counts that another
  /// context saved a moment before.
  public struct Exclusion: Sendable {
    /// The entity of the marks.
    public var entity: EntityIndex
    /// The attribute of a mark that is compared with ``values``.
    public var attribute: Int
    /// A value for each row of the batch.
    public var values: [Int64]
    /// Attributes of a mark that must have the same value as attributes of the row.
    public var shared: [(mark: Int, row: Int)]

    /// Describes an exclusion.
    public init(entity: EntityIndex, attribute: Int, values: [Int64], shared: [(mark: Int, row: Int)]) {
      (self.entity, self.attribute, self.values, self.shared) = (entity, attribute, values, shared)
    }
  }

  /// Describes the batch.
  public init(
    _ rows: RowBatch, unique: [Int] = [], changeMark: Int? = nil, editCounter: Int? = nil, kept: [Int] = []
  ) {
    self.rows = rows
    self.unique = unique
    self.changeMark = changeMark
    self.editCounter = editCounter
    self.kept = kept
  }

  /// The attributes that an update of a row writes.
  public var written: AttributeSet {
    let left = Set(unique + kept)
    return AttributeSet(indexes: rows.columns.filter { !left.contains($0) } + [editCounter].compactMap { $0 })
  }
}

/// The same values for all rows of an entity that match, whatever their version.
public struct BatchUpdate: Sendable {
  /// The entity.
  public var entity: EntityIndex
  /// Which rows; nil for all.
  public var predicate: StorePredicate?
  /// Attributes by index, with their new values.
  public var values: [(index: Int, value: AttributeValue)]

  /// Describes the update.
  public init(
    entity: EntityIndex, predicate: StorePredicate?, values: [(index: Int, value: AttributeValue)]
  ) {
    self.entity = entity
    self.predicate = predicate
    self.values = values
  }
}

/// All rows of an entity that match go, whatever their version, and their pairs of many-to-many relationships. Delete
/// rules do not apply: what else refers to a row that goes fails the save.
public struct BatchDelete: Sendable {
  /// The entity.
  public var entity: EntityIndex
  /// Which rows; nil for all.
  public var predicate: StorePredicate?

  /// Describes the deletion.
  public init(entity: EntityIndex, predicate: StorePredicate?) {
    self.entity = entity
    self.predicate = predicate
  }
}

/// What a store says of a change set that it wrote.
public struct CommitResult: Sendable {
  /// What changed, with permanent IDs.
  public var changes = ContextChanges()
  /// Objects whose row is not what the context wrote: a merge policy let the store win somewhere.
  public var differing: Set<ManagedObjectID> = []
  /// New pairs of many-to-many relationships that were not inserted, because one of the objects is gone; by their
  /// temporary IDs.
  public var dropped: Set<ManagedObjectID> = []

  /// An empty result.
  public init() {}
}
