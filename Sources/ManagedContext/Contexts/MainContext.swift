public import Foundation

/// The main queue's context. It reads for the user interface and merges other contexts' saves.
///
/// It merges several saves together, at most once an interval, so that many small saves cause one update.
@MainActor
public final class MainContext: ContextOwner {
  /// The objects; they never leave the main queue.
  public let context: ManagedObjectContext
  /// The time between two merges, in seconds. ``flush()`` merges at once.
  public var mergeInterval: TimeInterval = 1
  /// A callback for the context's owner, called on the main queue after each merge of other contexts' saves.
  ///
  /// Any number of observers may use ``notices``, which reports the same merges and this context's own saves.
  public var didMerge: ((ContextChanges) -> Void)?
  /// The model that the whole stack shares.
  public nonisolated let model: ManagedObjectModel
  private nonisolated let parent: any ContextParent
  /// Notifies observers about each save by this context.
  public nonisolated let didSave: ChangeNotifier
  /// Notifies observers about each merge, and about saves by this context's children.
  public nonisolated let notices: ChangeNotifier

  private let coalescer = ChangeCoalescer()
  private let parentNotices = ParentNotices()
  private var isMergeScheduled = false
  private var feed: ChangeFeed?

  /// Creates an empty context.
  ///
  /// - Parameters:
  ///   - parent: The coordinator, a root context, or another context.
  ///   - mergePolicy: The policy for conflicts with objects that another context saved first.
  ///   - author: The author recorded in the store's history for each save; nil for no author.
  ///   - mergesChanges: True if this context automatically merges other contexts' saves.
  public init(
    parent: any ContextParent, mergePolicy: MergePolicy = .error, author: String? = nil,
    mergesChanges: Bool = true
  ) {
    ContextQueue.markMainQueue()
    self.parent = parent
    model = parent.model
    context = ManagedObjectContext(parent: parent, queue: .main)
    context.mergePolicy = mergePolicy
    context.transactionAuthor = author
    didSave = context.didSave
    notices = context.notices
    let coalescer = coalescer
    parentNotices.observe(parent, mergesChanges: mergesChanges) { [weak self] changes, isMerged in
      if isMerged {
        guard coalescer.add(changes) else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.scheduleMerge() } }
      } else {
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.context.adoptParentIDs() } }
      }
    }
  }

  /// Merges all saves so far, without waiting for the interval.
  ///
  /// - Throws: The parent's error if it cannot be read; the next merge repeats the merges that failed.
  public func flush() throws(StoreError) {
    let changes = coalescer.take()
    guard !changes.isEmpty else { return }
    do {
      try context.mergeChanges(from: changes)
    } catch {
      _ = coalescer.add(changes)
      throw error
    }
    feed?.process()
    didMerge?(changes)
  }

  /// Runs `body` on the main queue.
  public func perform<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try body(context)
  }

  /// Runs `body` on the main queue and waits for it. Any thread may call it.
  ///
  /// The main queue must not wait for the caller at the same time.
  public nonisolated func performAndWait<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if ContextQueue.isMainQueue { return try result(of: body).get() }
    // `sync` is not used: under an async `main` it runs the body on this thread, at its niceness, and holds
    // the queue.
    let outcome = withoutActuallyEscaping(body) { body in
      QueueWaits.runAndWait(on: .main, { self.result(of: body) }) { DispatchQueue.main.async(execute: $0) }
    }
    return try outcome.get()
  }

  private nonisolated func result<Value: Sendable, Failure: Error>(
    of body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    MainActor.assumeIsolated {
      Result { () throws(Failure) -> Value in try body(context) }
    }
  }

  /// Saves, and waits until the parent has the changes.
  ///
  /// The wait does not block the main queue if the parent is a ``RootContext``. A coordinator writes on the main
  /// queue, and a parent context takes the changes while the main queue waits.
  ///
  /// - Throws: The parent's error; the context keeps the unsaved changes.
  /// - Returns: The changes; empty if nothing was to be saved.
  @discardableResult
  public func save() async throws(StoreError) -> ContextChanges {
    let changes = try await context.commit()
    feed?.process()
    return changes
  }

  /// The changes in the context, object by object, recorded from the first use of this property.
  var changeFeed: ChangeFeed {
    if let feed { return feed }
    let new = ChangeFeed(context)
    feed = new
    return new
  }

  private func scheduleMerge() {
    guard !isMergeScheduled else { return }
    isMergeScheduled = true
    DispatchQueue.main.asyncAfter(deadline: .now() + mergeInterval) { [weak self] in
      MainActor.assumeIsolated {
        self?.isMergeScheduled = false
        // If the store cannot be read now, the next merge reads it again. flush() reports the error at the
        // end.
        try? self?.flush()
      }
    }
  }

  // MARK: ContextParent

  public nonisolated var writtenStoreNumber: StoreNumber { parent.writtenStoreNumber }

  /// Reads rows for a child, with this context's unsaved changes. Waits for the main queue.
  public nonisolated func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try performAndWait { (context) throws(StoreError) in try context.rows(query) }
  }

  /// Counts rows for a child.
  public nonisolated func count(_ query: StoreQuery) throws(StoreError) -> Int {
    try performAndWait { (context) throws(StoreError) in try context.countRows(query) }
  }

  /// Summarizes groups of rows for a child.
  public nonisolated func groups(_ aggregate: StoreAggregate) throws(StoreError) -> [StoreGroup] {
    try performAndWait { (context) throws(StoreError) in try context.groups(aggregate) }
  }

  /// Accepts a child's changes into memory. This context's next save passes them on.
  public nonisolated func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket {
    performAndWait { $0.ticket(absorbing: changes, after: prerequisite) }
  }
}
