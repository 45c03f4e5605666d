import Threading

/// Gathers the changes of many saves, from any thread, until somebody takes them all.
final class ChangeCoalescer: Sendable {
  private let gathered = Locked(ContextChanges())

  /// Adds the changes of a save.
  ///
  /// - Returns: Whether these are the first since the last ``take()``: the caller then arranges for the next.
  func add(_ changes: ContextChanges) -> Bool {
    gathered.withLock { gathered in
      let isFirst = gathered.isEmpty
      gathered.formUnion(changes)
      return isFirst
    }
  }

  /// Everything since the last time.
  func take() -> ContextChanges {
    gathered.withLock { gathered in
      defer { gathered = ContextChanges() }
      return gathered
    }
  }
}
