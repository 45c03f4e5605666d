/// A context with its own serial queue, like Core Data's private queue concurrency type.
///
/// Its objects never leave ``perform(_:)``: results are `Sendable`, objects are not. By default the queue has
/// its own thread. Many contexts can share a thread: see
/// ``init(parent:on:name:mergePolicy:author:mergesChanges:)``.
public actor BackgroundContext: ContextOwner {
  /// The context's thread. Another actor or context may share it to call this context without a thread
  /// switch.
  public nonisolated let executor: ThreadExecutor
  /// The model that the whole stack shares.
  public nonisolated let model: ManagedObjectModel
  private nonisolated let parent: any ContextParent
  /// Notifies observers about each save by this context.
  public nonisolated let didSave: ChangeNotifier
  /// Notifies observers about changes that this context's children may merge.
  public nonisolated let notices: ChangeNotifier
  private let context: ManagedObjectContext
  private let parentNotices: ParentNotices

  /// Runs the actor on its own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Creates an empty context with its own thread.
  ///
  /// If the system cannot create a thread, the context shares the newest context thread. If no such thread
  /// exists, the program stops. To handle the error instead, create a ``ThreadExecutor``, which throws it,
  /// and pass that to ``init(parent:on:name:mergePolicy:author:mergesChanges:)``.
  ///
  /// - Parameters:
  ///   - parent: The coordinator, a root context, or another context.
  ///   - name: The thread's name.
  ///   - niceness: 0 to 19, or ``ThreadExecutor/idle``.
  ///   - mergePolicy: The policy for conflicts with objects that another context saved first.
  ///   - author: The author recorded in the store's history for each save; nil for no author.
  ///   - mergesChanges: True if this context automatically merges other contexts' saves.
  public init(
    parent: any ContextParent, name: String, niceness: Int32 = 0, mergePolicy: MergePolicy = .error,
    author: String? = nil, mergesChanges: Bool = false
  ) {
    self.init(
      parent: parent, on: .ownOrShared(name: name, niceness: niceness), name: name, mergePolicy: mergePolicy,
      author: author, mergesChanges: mergesChanges)
  }

  /// Creates an empty context on a thread that it may share with other contexts.
  ///
  /// Contexts that share a thread take turns on it. Each has its own objects, and the compiler keeps them
  /// separate.
  ///
  /// - Parameters:
  ///   - parent: The coordinator, a root context, or another context, which may run on the same thread.
  ///   - executor: The thread.
  ///   - name: The context's name in messages; nil for the thread's name.
  ///   - mergePolicy: The policy for conflicts with objects that another context saved first.
  ///   - author: The author recorded in the store's history for each save; nil for no author.
  ///   - mergesChanges: True if this context automatically merges other contexts' saves.
  public init(
    parent: any ContextParent, on executor: ThreadExecutor, name: String? = nil,
    mergePolicy: MergePolicy = .error, author: String? = nil, mergesChanges: Bool = false
  ) {
    self.executor = executor
    model = parent.model
    self.parent = parent
    context = ManagedObjectContext(parent: parent, queue: .thread(executor))
    if let name { context.name = name }
    context.mergePolicy = mergePolicy
    context.transactionAuthor = author
    didSave = context.didSave
    notices = context.notices
    parentNotices = ParentNotices()
    parentNotices.observe(parent, mergesChanges: mergesChanges) { [weak self] changes, isMerged in
      guard let self else { return }
      executor.enqueue { self.take(changes, isMerged: isMerged) }
    }
  }

  /// Runs `body` on the context's thread.
  ///
  /// The result must be `Sendable`. Objects are not, so they cannot leave the context.
  public func perform<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try body(context)
  }

  /// Runs `body` on the context's thread and waits for it. Scripts and child contexts use it.
  ///
  /// Any thread may call it, including the context's own. A parent must not wait for a child with it.
  public nonisolated func performAndWait<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if executor.isCurrent { return try performNow(body) }
    let result = withoutActuallyEscaping(body) { body in
      executor.runAndWait { self.result(of: body) }
    }
    return try result.get()
  }

  /// Runs `body` at once. The caller must be on the context's thread, which is checked.
  public nonisolated func performNow<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try result(of: body).get()
  }

  private nonisolated func result<Value: Sendable, Failure: Error>(
    of body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    assumeIsolated { isolated in
      Result { () throws(Failure) -> Value in try body(isolated.context) }
    }
  }

  /// Saves, and waits until the parent has the changes.
  ///
  /// If the parent is a ``RootContext``, other work in the context may run during the wait. A coordinator writes on
  /// the context's thread, and a parent context takes the changes while that thread waits.
  ///
  /// - Throws: The parent's error; the context keeps the unsaved changes.
  /// - Returns: The changes; empty if nothing was to be saved.
  @discardableResult
  public func save() async throws(StoreError) -> ContextChanges {
    try await context.commit()
  }

  private nonisolated func take(_ changes: ContextChanges, isMerged: Bool) {
    performNow { context in
      // If the parent cannot be read now, the next fetch shows its changes.
      if isMerged { _ = try? context.mergeChanges(from: changes) } else { context.adoptParentIDs() }
    }
  }

  // MARK: ContextParent

  public nonisolated var writtenStoreNumber: StoreNumber { parent.writtenStoreNumber }

  /// Reads rows for a child, with this context's unsaved changes. Waits for the context's thread.
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
