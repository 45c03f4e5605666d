public import ManagedContext

extension RootContext {
  /// Waits until the store has answered all saves so far, without the delay that groups them.
  ///
  /// Observers of ``RootContext/didSave`` have then been called. Saves that failed report their errors to their callers only.
  public func settleSaves() async {
    // The writer keeps the order. A save without changes writes nothing.
    let last = accept(ChangeSet(mergePolicy: .error))
    flush()
    _ = try? await last.committed()
  }
}

extension MainContext {
  /// Waits until this context has merged all that was saved to a root so far, without the delays of both.
  ///
  /// - Throws: The error of ``MainContext/flush()``.
  public func mergeSaves(to root: RootContext) async throws(StoreError) {
    await root.settleSaves()
    try flush()
  }
}

extension BackgroundContext {
  /// Waits until this context has merged all that was saved to a root so far, if it merges changes by itself.
  public func mergeSaves(to root: RootContext) async {
    await root.settleSaves()
    // Merges run on the context's thread, before all later calls.
    await perform { _ in }
  }
}
