import Threading

/// Collects the changes of many saves, from any thread, until a consumer takes them all.
final class ChangeCoalescer: Sendable {
  private let gathered = Locked(ContextChanges())

  /// Adds the changes of a save.
  ///
  /// - Returns: True if these are the first changes since the last ``take()``. The caller then schedules the next one.
  func add(_ changes: ContextChanges) -> Bool {
    gathered.withLock { gathered in
      let isFirst = gathered.isEmpty
      gathered.formUnion(changes)
      return isFirst
    }
  }

  /// Removes and returns all changes since the last call.
  func take() -> ContextChanges {
    gathered.withLock { gathered in
      defer { gathered = ContextChanges() }
      return gathered
    }
  }
}
