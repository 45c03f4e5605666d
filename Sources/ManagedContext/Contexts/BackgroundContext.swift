/// A context with a serial queue of its own: Core Data's private queue concurrency type.
///
/// Its objects never leave ``perform(_:)``: results are `Sendable`, objects are not.
public actor BackgroundContext {
  /// The thread that everything in this context runs on; another actor may share it to call without a hop.
  public nonisolated let executor: ThreadExecutor
  private let context: ManagedObjectContext

  /// Runs the actor on its own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a context without objects.
  ///
  /// - Parameters:
  ///   - parent: A root context, or the coordinator.
  ///   - name: The thread's name.
  ///   - niceness: 0 to 19; see ``ThreadExecutor``.
  public init(
    parent: any ContextParent, name: String, niceness: Int32 = 0, mergePolicy: MergePolicy = .error
  ) {
    executor = ThreadExecutor(name: name, niceness: niceness)
    context = ManagedObjectContext(parent: parent)
    context.mergePolicy = mergePolicy
  }

  /// Runs `body` on the context's thread.
  public func perform<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try body(context)
  }

  /// Runs `body` at once; the caller must be on the context's thread already, which is checked.
  public nonisolated func performNow<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result: Result<Value, Failure> = assumeIsolated { isolated in
      Result { () throws(Failure) -> Value in try body(isolated.context) }
    }
    return try result.get()
  }

  /// Saves and waits for the store.
  ///
  /// - Throws: What kept the store from taking the changes; they are in the context still.
  /// - Returns: What changed; empty when there was nothing to save.
  @discardableResult
  public func save() async throws(StoreError) -> ContextChanges {
    try await context.save()
  }
}
