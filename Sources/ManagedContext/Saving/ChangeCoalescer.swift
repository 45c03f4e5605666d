import Threading

/// Collects changes from many saves, on any thread, until a consumer takes them all.
final class ChangeCoalescer: Sendable {
  private let gathered = Locked(ContextChanges())

  /// Adds a save's changes.
  ///
  /// - Returns: True if these are the first changes since the last ``take()``. The caller then schedules the
  ///   next one.
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
