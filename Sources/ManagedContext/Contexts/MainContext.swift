public import Foundation

/// The context of the main queue: reads for people, and learns of what others saved.
///
/// Saves of other contexts are merged together, at most once an interval, so that a storm of small saves makes
/// one update of what a person sees.
@MainActor
public final class MainContext: ContextOwner {
  /// The objects; they never leave the main queue.
  public let context: ManagedObjectContext
  /// The time between two merges, in seconds; a merge also ends a ``flush()``.
  public var mergeInterval: TimeInterval = 1
  /// Called after each merge of what others saved, on the main queue: for the one who owns the context.
  ///
  /// Any number of others may observe ``notices``, which tell of the same merges, and of this context's own saves.
  public var didMerge: ((ContextChanges) -> Void)?
  /// The entities of the stack.
  public nonisolated let model: ManagedObjectModel
  private nonisolated let parent: any ContextParent
  /// Told of each save of this context.
  public nonisolated let didSave: ChangeNotifier
  /// Told of each merge, and of what children of this context save to it.
  public nonisolated let notices: ChangeNotifier

  private let coalescer = ChangeCoalescer()
  private let parentNotices = ParentNotices()
  private var isMergeScheduled = false
  private var feed: ChangeFeed?

  /// Makes a context without objects.
  ///
  /// - Parameters:
  ///   - parent: The coordinator, a root context, or another context.
  ///   - mergePolicy: What a save does where another context saved an object first.
  ///   - author: Who saves, for the store's history; nil for nobody in particular.
  ///   - mergesChanges: Whether what others save to the parent is merged here without being asked for.
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

  /// Merges what was saved until now, without waiting for the interval.
  ///
  /// - Throws: What kept the store from being read; what was not merged comes with the next merge.
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

  /// Runs `body` on the main queue and waits for it, from whatever thread.
  ///
  /// The main queue must not wait for the caller meanwhile.
  public nonisolated func performAndWait<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if ContextQueue.isMainQueue { return try result(of: body).get() }
    ThreadExecutor.checkMainQueueIsNotWaiting()
    // Not `sync`, which under an async `main` runs the body on this thread: at its niceness, with the queue held.
    let outcome = withoutActuallyEscaping(body) { body in
      HandOver.runAndWait({ self.result(of: body) }, { DispatchQueue.main.async(execute: $0) })
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

  /// Saves and waits for the parent to have the changes; the main queue goes on meanwhile.
  ///
  /// - Throws: What kept the parent from taking the changes; they are in the context still.
  /// - Returns: What changed; empty when there was nothing to save.
  @discardableResult
  public func save() async throws(StoreError) -> ContextChanges {
    let changes = try await context.commit { (parent as? RootContext)?.flush() }
    feed?.process()
    return changes
  }

  /// What changes in the context, object by object; noted from the first time it is asked for.
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
        // A store that cannot be read now is asked again with the next merge; flush() reports it at the end.
        try? self?.flush()
      }
    }
  }

  // MARK: ContextParent

  public nonisolated var writtenStoreNumber: StoreNumber { parent.writtenStoreNumber }

  /// Reads rows for a child, with the unsaved changes of this context; waits for the main queue.
  public nonisolated func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try performAndWait { (context) throws(StoreError) in try context.answer(query) }
  }

  /// Counts rows for a child.
  public nonisolated func count(_ query: StoreQuery) throws(StoreError) -> Int {
    try performAndWait { (context) throws(StoreError) in try context.answerCount(query) }
  }

  /// Takes a child's changes into memory; the next save of this context passes them on.
  public nonisolated func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket {
    performAndWait { $0.ticket(absorbing: changes, after: prerequisite) }
  }
}
