/// One save's content, which a store writes completely or not at all.
public struct ChangeSet: Sendable {
  /// A new object.
  public struct Insertion: Sendable {
    /// The temporary ID under which the context knows it.
    public let id: ManagedObjectID
    /// One value for each attribute.
    public let values: [AttributeValue]

    /// Describes the object.
    public init(id: ManagedObjectID, values: [AttributeValue]) {
      self.id = id
      self.values = values
    }
  }

  /// New values for some attributes of an object.
  public struct Update: Sendable {
    /// The object.
    public let id: ManagedObjectID
    /// The attributes (by index) that were edited.
    public let edited: [Int]
    /// One value for each attribute, edited or not.
    public let values: [AttributeValue]
    /// The values before the edit, one for each attribute.
    public let base: [AttributeValue]
    /// The version that was edited.
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

  /// A deleted object.
  public struct Deletion: Sendable {
    /// The object.
    public let id: ManagedObjectID
    /// The version last seen; 0 deletes any version, because the object was never read.
    public let version: Int64

    /// Describes the deletion.
    public init(id: ManagedObjectID, version: Int64) {
      self.id = id
      self.version = version
    }
  }

  /// Objects to insert. References to them may use their temporary IDs.
  public var insertions: [Insertion] = []
  /// Objects to update.
  public var updates: [Update] = []
  /// Objects to delete.
  public var deletions: [Deletion] = []
  /// Batches, applied in order after the objects.
  public var batches: [BatchChange] = []
  /// The policy for conflicts with objects that another context saved first.
  public var mergePolicy: MergePolicy
  /// The author in the store's history; nil if the save has no author.
  public var author: String?

  /// Creates an empty change set.
  public init(mergePolicy: MergePolicy, author: String? = nil) {
    self.mergePolicy = mergePolicy
    self.author = author
  }

  /// True if it contains nothing to write.
  public var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && deletions.isEmpty && batches.isEmpty
  }

  /// Returns whether it may change an entity's objects.
  public func mayChange(_ entity: EntityIndex) -> Bool {
    batches.contains { $0.entity == entity } || insertions.contains { $0.id.entity == entity }
      || updates.contains { $0.id.entity == entity } || deletions.contains { $0.id.entity == entity }
  }

  /// The number of rows that it changes, as far as known in advance.
  public var rowCount: Int {
    batches.reduce(insertions.count + updates.count + deletions.count) { $0 + $1.rowCount }
  }

  /// The approximate memory that it holds, in bytes. A root context limits its inbox by this size.
  public var byteCount: Int {
    let objects =
      insertions.reduce(0) { $0 + $1.values.byteCount }
      + updates.reduce(0) { $0 + $1.values.byteCount + $1.base.byteCount } + deletions.count * 32
    return batches.reduce(objects) { $0 + $1.byteCount }
  }
}

extension [AttributeValue] {
  /// The approximate memory that the values hold, in bytes. Shared texts count in full.
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

/// A change to many rows that do not become objects.
public enum BatchChange: Sendable {
  /// Inserts rows, or updates them if they exist.
  case upsert(BatchUpsert)
  /// Sets the same values in all matching rows.
  case update(BatchUpdate)
  /// Sets new values in rows that have not changed since they were read.
  case edit(BatchEdit)
  /// Deletes all matching rows.
  case delete(BatchDelete)

  /// The rows that the batch contains; nil if it names its rows by a predicate.
  private var rows: RowBatch? {
    switch self {
    case .upsert(let batch): batch.rows
    case .edit(let batch): batch.rows
    case .update, .delete: nil
    }
  }

  var entity: EntityIndex {
    switch self {
    case .upsert(let batch): batch.rows.entity
    case .edit(let batch): batch.rows.entity
    case .update(let batch): batch.entity
    case .delete(let batch): batch.entity
    }
  }

  var rowCount: Int { rows?.count ?? 1 }

  var byteCount: Int { rows?.byteCount ?? 256 }
}

/// Rows to insert, or to update if their unique attributes exist already.
public struct BatchUpsert: Sendable {
  /// The rows. A row with a key updates that row; a row without a key is matched by ``unique``.
  public var rows: RowBatch
  /// The uniqueness constraint, as attribute indexes, that identifies an existing row. If empty, every row is
  /// inserted.
  public var unique: [Int]
  /// The attribute that shows whether a row changed: an existing row with the same value is not updated. Nil
  /// always updates.
  public var changeMark: Int?
  /// An integer attribute that grows by one with each update; nil for none.
  public var editCounter: Int?
  /// Attributes that only an insertion sets. Updates leave them unchanged.
  public var kept: [Int]
  /// True if the save reports updated rows among its changes. Inserted rows are always reported.
  ///
  /// False suits updates that no observer needs, such as derived values.
  public var isReported = true
  /// Rows in another entity that prevent insertions; nil for none.
  public var exclusion: Exclusion?

  /// Rows in another entity that prevent a batch's rows from being inserted, such as tombstones.
  ///
  /// Existing rows are still updated. The store checks in the writing transaction, so a row that another
  /// context just saved counts.
  public struct Exclusion: Sendable {
    /// The excluding rows' entity.
    public var entity: EntityIndex
    /// The excluding row's attribute that is compared with ``values``.
    public var attribute: Int
    /// One value for each row in the batch.
    public var values: [Int64]
    /// Pairs of attributes that must be equal: `mark` in the excluding row, and `row` in the batch's row.
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

  /// The attributes that an update writes.
  public var written: AttributeSet {
    let left = Set(unique + kept)
    return AttributeSet(indexes: rows.columns.filter { !left.contains($0) } + [editCounter].compactMap { $0 })
  }
}

/// The same new values for all matching rows in an entity, regardless of version.
public struct BatchUpdate: Sendable {
  /// The entity.
  public var entity: EntityIndex
  /// The rows to update; nil for all.
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

/// New values for some attributes, different for each row, written without objects.
///
/// It costs much less than as many edited objects. If another context has changed rows, the save fails with
/// ``StoreError/conflict(_:)``, whatever its merge policy, and the error names each of them.
public struct BatchEdit: Sendable {
  /// The new values. Each row has its key, and the version that the stored row must have.
  public var rows: RowBatch

  /// Describes the edit.
  public init(_ rows: RowBatch) {
    self.rows = rows
  }

  /// The attributes that it writes.
  public var written: AttributeSet { AttributeSet(indexes: rows.columns) }
}

/// Deletes all matching rows in an entity, with their many-to-many pairs.
///
/// The delete rules of to-many relationships apply. The save fails if another row still refers to a deleted one.
public struct BatchDelete: Sendable {
  /// The entity.
  public var entity: EntityIndex
  /// The rows to delete; nil for all.
  public var predicate: StorePredicate?
  /// The only rows that may be deleted, each in the version that was read; nil for all rows in any version.
  public var chosen: [RowVersion]?

  /// Describes the deletion.
  public init(entity: EntityIndex, predicate: StorePredicate?, chosen: [RowVersion]? = nil) {
    self.entity = entity
    self.predicate = predicate
    self.chosen = chosen
  }
}

/// A row as it was read. Each write raises the row's version.
public struct RowVersion: Sendable, Hashable {
  /// The row.
  public let id: ManagedObjectID
  /// Its version.
  public let version: Int64

  /// Describes a row.
  public init(id: ManagedObjectID, version: Int64) {
    (self.id, self.version) = (id, version)
  }
}

/// A store's result for a change set that it wrote.
public struct CommitResult: Sendable {
  /// The changes, with permanent IDs.
  public var changes = ContextChanges()
  /// Objects whose rows differ from the context's values, because a merge policy preferred the store.
  public var differing: Set<ManagedObjectID> = []
  /// New many-to-many pairs, by temporary ID, that were not inserted because an object at one end is gone.
  public var dropped: Set<ManagedObjectID> = []

  /// Creates an empty result.
  public init() {}
}
