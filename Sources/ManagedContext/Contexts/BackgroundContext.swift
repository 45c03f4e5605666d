/// A context with a serial queue: Core Data's private queue concurrency type.
///
/// Its objects never leave ``perform(_:)``: results are `Sendable`, objects are not. By default the queue is a thread of
/// its own; thousands of contexts share a few: ``init(parent:on:name:mergePolicy:author:mergesChanges:)``.
public actor BackgroundContext: ContextOwner {
  /// The thread that everything in this context runs on; another actor or context may share it to call without a hop.
  public nonisolated let executor: ThreadExecutor
  /// The entities of the stack.
  public nonisolated let model: ManagedObjectModel
  private nonisolated let parent: any ContextParent
  /// Told of each save of this context.
  public nonisolated let didSave: ChangeNotifier
  /// Told of what children of this context may want to merge.
  public nonisolated let notices: ChangeNotifier
  private let context: ManagedObjectContext
  private let parentNotices: ParentNotices

  /// Runs the actor on its own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a context without objects on a thread of its own.
  ///
  /// Where the system has no more threads to give, it shares the thread of the context that was made last.
  /// - Parameters:
  ///   - parent: The coordinator, a root context, or another context.
  ///   - name: The thread's name.
  ///   - niceness: 0 to 19, or ``ThreadExecutor/idle``.
  ///   - mergePolicy: What a save does where another context saved an object first.
  ///   - author: Who saves, for the store's history; nil for nobody in particular.
  ///   - mergesChanges: Whether what others save to the parent is merged here without being asked for.
  public init(
    parent: any ContextParent, name: String, niceness: Int32 = 0, mergePolicy: MergePolicy = .error,
    author: String? = nil, mergesChanges: Bool = false
  ) {
    self.init(
      parent: parent, on: .ownOrShared(name: name, niceness: niceness), name: name, mergePolicy: mergePolicy,
      author: author, mergesChanges: mergesChanges)
  }

  /// Makes a context without objects on a thread that it may share with others.
  ///
  /// Contexts that share a thread take turns on it. Each still has its own objects: the compiler keeps them apart.
  /// - Parameters:
  ///   - parent: The coordinator, a root context, or another context, which may run on the same thread.
  ///   - executor: The thread.
  ///   - name: What messages call the context; nil for the thread's name.
  ///   - mergePolicy: What a save does where another context saved an object first.
  ///   - author: Who saves, for the store's history; nil for nobody in particular.
  ///   - mergesChanges: Whether what others save to the parent is merged here without being asked for.
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
  /// The compiler lets no object out: the value must be `Sendable`, and objects are not.
  public func perform<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try body(context)
  }

  /// Runs `body` on the context's thread and waits for it: for scripts, and for children that ask their parent.
  ///
  /// It may be called from any thread, also from the context's own. A parent must not wait for a child like this.
  public nonisolated func performAndWait<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if executor.isCurrent { return try performNow(body) }
    let result = withoutActuallyEscaping(body) { body in
      executor.runAndWait { self.result(of: body) }
    }
    return try result.get()
  }

  /// Runs `body` at once; the caller must be on the context's thread already, which is checked.
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

  /// Saves and waits for the parent to have the changes; other work of the context may run meanwhile.
  ///
  /// - Throws: What kept the parent from taking the changes; they are in the context still.
  /// - Returns: What changed; empty when there was nothing to save.
  @discardableResult
  public func save() async throws(StoreError) -> ContextChanges {
    // Who waits for this save should not wait for others to come.
    try await context.commit { (context.parent as? RootContext)?.flush() }
  }

  private nonisolated func take(_ changes: ContextChanges, isMerged: Bool) {
    performNow { context in
      // A parent that cannot be read now shows what is new with the next fetch.
      if isMerged { _ = try? context.mergeChanges(from: changes) } else { context.adoptParentIDs() }
    }
  }

  // MARK: ContextParent

  public nonisolated var writtenStoreNumber: StoreNumber { parent.writtenStoreNumber }

  /// Reads rows for a child, with the unsaved changes of this context; waits for its thread.
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
