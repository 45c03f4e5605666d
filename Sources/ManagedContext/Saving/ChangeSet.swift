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
    /// Attributes by index, with their new values.
    public let values: [(index: Int, value: AttributeValue)]
    /// The version that the edit was made on.
    public let version: Int64
  }

  /// An object that goes.
  public struct Deletion: Sendable {
    /// The object.
    public let id: ManagedObjectID
    /// The version that was last seen.
    public let version: Int64
  }

  /// Objects to insert; a reference to one that stands here may use its temporary ID.
  public var insertions: [Insertion] = []
  /// Objects to update.
  public var updates: [Update] = []
  /// Objects to delete.
  public var deletions: [Deletion] = []
  /// Batches to upsert, after the objects.
  public var upserts: [BatchUpsert] = []
  /// What to do where another context saved an object first.
  public var mergePolicy: MergePolicy

  /// An empty change set.
  public init(mergePolicy: MergePolicy) {
    self.mergePolicy = mergePolicy
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && deletions.isEmpty && upserts.isEmpty
  }

  /// The rows that it touches.
  public var rowCount: Int {
    insertions.count + updates.count + deletions.count + upserts.reduce(0) { $0 + $1.rows.count }
  }

  /// About how much memory its batches hold, in bytes: what bounds the root's inbox.
  public var byteCount: Int {
    upserts.reduce((insertions.count + updates.count + deletions.count) * 256) { $0 + $1.rows.byteCount }
  }
}

/// Rows to insert, or to update where their unique attributes exist already.
public struct BatchUpsert: Sendable {
  /// The rows. A row with a key updates that row; one without is matched by ``unique``.
  public var rows: RowBatch
  /// The attributes (by index) that tell whether a row exists: one of the entity's uniqueness constraints.
  public var unique: [Int]
  /// The attribute that tells whether a row changed: an existing row with the same value is left alone.
  /// Nil updates always.
  public var changeMark: Int?
  /// An integer attribute that grows by one with each update; nil for none.
  public var editCounter: Int?
  /// Attributes that keep the value of the first insert.
  public var kept: [Int]

  /// Describes the batch.
  public init(
    _ rows: RowBatch, unique: [Int], changeMark: Int? = nil, editCounter: Int? = nil, kept: [Int] = []
  ) {
    self.rows = rows
    self.unique = unique
    self.changeMark = changeMark
    self.editCounter = editCounter
    self.kept = kept
  }
}

/// What a save does where another context saved the same object first.
public enum MergePolicy: Sendable {
  /// The save fails with ``StoreError/conflict(_:)`` and nothing is written.
  case error
  /// The edits of the save win, attribute by attribute.
  case objectTrumps
  /// What the store has wins, attribute by attribute; other edits are written.
  case storeTrumps
}

/// What a store says of a change set that it wrote.
public struct CommitResult: Sendable {
  /// What changed, with permanent IDs.
  public var changes = ContextChanges()
  /// The permanent ID of each object that was inserted under a temporary one.
  public var permanentIDs: [ManagedObjectID: ManagedObjectID] = [:]

  /// An empty result.
  public init() {}
}
