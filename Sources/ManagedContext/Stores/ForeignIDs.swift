extension ChangeSet {
  /// Returns an object in another store that the change set updates or deletes; nil if no such object exists.
  func foreignObject(in store: StoreNumber) -> ManagedObjectID? {
    updates.first { $0.id.store != store }?.id ?? deletions.first { $0.id.store != store }?.id
  }

  /// Returns the change set without other stores' rows in its batches.
  func withoutForeignIDs(in store: StoreNumber) -> ChangeSet {
    guard !batches.isEmpty else { return self }
    var changes = self
    changes.batches = batches.map { batch in
      switch batch {
      case .upsert, .edit: return batch
      case .update(var update):
        update.predicate = update.predicate?.withoutForeignIDs(in: store)
        return .update(update)
      case .delete(var deletion):
        deletion.predicate = deletion.predicate?.withoutForeignIDs(in: store)
        deletion.chosen = deletion.chosen?.filter { $0.id.store == store }
        return .delete(deletion)
      }
    }
    return changes
  }
}

extension StoreQuery {
  /// Returns the query for a single store. IDs from other stores match nothing in it.
  func withoutForeignIDs(in store: StoreNumber) -> StoreQuery {
    mappingPredicates { $0.withoutForeignIDs(in: store) }
  }
}

extension StorePredicate {
  fileprivate func withoutForeignIDs(in store: StoreNumber) -> StorePredicate {
    switch self {
    case .compare(_, let comparison, .reference(let id)) where id.store != store:
      return comparison == .notEqual ? .all([]) : .any([])
    case .compare, .match: return self
    case .among(let attribute, let values):
      let own = values.filter { value in
        guard case .reference(let id) = value else { return true }
        return id.store == store
      }
      return .among(attribute, own)
    case .ids(let ids):
      return ids.allSatisfy { $0.store == store } ? self : .ids(ids.filter { $0.store == store })
    case .amongRows(let attribute, let query):
      return .amongRows(attribute, of: query.withoutForeignIDs(in: store))
    case .count(let query, let comparison, let number):
      return .count(of: query.withoutForeignIDs(in: store), comparison, number)
    case .all(let parts): return .all(parts.map { $0.withoutForeignIDs(in: store) })
    case .any(let parts):
      // SQLite uses no index for a condition with OR, even if one side is always false.
      let own = parts.map { $0.withoutForeignIDs(in: store) }.filter { !$0.isEmptyList }
      return own.count == 1 ? own[0] : .any(own)
    case .not(let part): return .not(part.withoutForeignIDs(in: store))
    }
  }

  /// True for an empty list of IDs, which matches nothing.
  private var isEmptyList: Bool {
    if case .ids(let ids) = self { ids.isEmpty } else { false }
  }
}
