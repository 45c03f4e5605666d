@testable import ManagedContext
import TestSupport

/// Saves, and the expected state of the store after them.
extension RandomGraph {
  func save(_ node: Int) throws {
    if nodes[node].inFlight != nil { try finishRootSaves() }
    // Programs do not save references to objects that they deleted.
    try clean(node)
    _ = try visible(node)
    applyRules(node)
    let denied = isDenied(node)
    let layer = nodes[node].pending
    note(node, "save \(layer)\(denied ? ", denied" : "")")
    if nodes[node].parent == nil, root != nil {
      try push(node, layer, isDenied: denied)
    } else {
      let outcome = try perform(node) { context, _ -> Result<ContextChanges, StoreError> in
        Result { () throws(StoreError) in try context.save() }
      }
      try take(outcome, of: node, layer, isDenied: denied)
    }
  }

  func push(_ node: Int, _ layer: PlainLayer, isDenied: Bool) throws {
    let outcome = try perform(node) { context, _ -> Result<SaveTicket?, StoreError> in
      Result { () throws(StoreError) in try context.push() }
    }
    switch outcome {
    case .failure(let error): try checkDenied(error, isDenied)
    case .success(let ticket):
      if isDenied { throw Failure(description: "what is denied was handed over") }
      guard let ticket else {
        guard layer.created.isEmpty && layer.edits.isEmpty else {
          throw Failure(description: "there was nothing to save but \(layer)")
        }
        nodes[node].pending = PlainLayer()
        return
      }
      noteSaved(layer)
      nodes[node].inFlight = layer
      nodes[node].newlyDeletedOwners = []
      nodes[node].pending = PlainLayer()
      rootQueue.append(RootSave(node: node, layer: layer, views: nodes[node].values, ticket: ticket))
      if chance(50) { try finishRootSaves() }
    }
  }

  func take(
    _ outcome: Result<ContextChanges, StoreError>, of node: Int, _ layer: PlainLayer, isDenied: Bool
  ) throws {
    if case .failure(let error) = outcome, isDenied {
      try checkDenied(error, isDenied)
      return
    }
    if isDenied { throw Failure(description: "what is denied was saved") }
    guard let parent = nodes[node].parent else {
      let expected = written(layer, nodes[node].values)
      switch (outcome, expected) {
      case (.success(let changes), let new?):
        adopt(changes)
        store = new
        didSave(node)
        try checkStore()
      case (.failure(let error), nil): note(node, "refused: \(error)")
      case (.success, nil): throw Failure(description: "a save that breaks a reference was written")
      case (.failure(let error), _?): throw error
      }
      return
    }
    switch outcome {
    case .success:
      nodes[parent].pending = nodes[parent].pending.followed(by: layer)
      for (handle, object) in layer.created { nodes[parent].pending.created[handle] = object }
      nodes[parent].deletedOwners.formUnion(nodes[node].deletedOwners)
      nodes[parent].newlyDeletedOwners.formUnion(layer.deleted)
      nodes[parent].mayHavePairs = true
      didSave(node)
    case .failure(let error):
      // An edit of an object that is gone from the parent is refused.
      let missing = try layer.edits.keys.filter { try visible(parent).objects[$0] == nil }
      guard case .conflict = error, !missing.isEmpty else { throw error }
      note(node, "refused: \(error)")
      for handle in missing { nodes[node].pending.edits[handle] = nil }
      let lost = missing.map { ids[$0] }
      try perform(node) { context, _ in
        for id in lost { context.refresh(try id.find(in: context), mergeChanges: false) }
      }
    }
  }

  func didSave(_ node: Int) {
    noteSaved(nodes[node].pending)
    drop(node, nodes[node].pending.deleted)
    nodes[node].pending = PlainLayer()
    nodes[node].mayHavePairs = false
    nodes[node].newlyDeletedOwners = []
  }

  func finishRootSaves() throws {
    guard !rootQueue.isEmpty else { return }
    let queue = rootQueue
    rootQueue = []
    root?.flush()
    for save in queue {
      let (layer, ticket) = (save.layer, save.ticket)
      let outcome = ticket.wait()
      let expected = written(layer, save.views)
      switch (outcome, expected) {
      case (.success(let result), let new?):
        adopt(result.changes)
        store = new
      case (.failure(let error), nil): log.append("refused: \(error)")
      case (.success, nil): throw Failure(description: "a save that breaks a reference was written")
      case (.failure(let error), _?): throw error
      }
      guard let node = save.node else { continue }
      if expected == nil {
        nodes[node].pending = layer.followed(by: nodes[node].pending)
        nodes[node].newlyDeletedOwners.formUnion(layer.deleted)
      } else {
        drop(node, layer.deleted)
      }
      nodes[node].inFlight = nil
      // The context is sometimes notified of the outcome, and sometimes has to notice it.
      if chance(50) { try perform(node) { context, _ in context.finish(ticket, outcome: outcome) } }
      note(node, "finish \(outcome)")
    }
    try checkStore()
  }

  /// Returns the store with a layer written to it; nil if that would break a reference of another context.
  ///
  /// - Parameter views: The context's view of the objects that it has edited.
  func written(_ layer: PlainLayer, _ views: [Handle: PlainObject]) -> PlainGraph? {
    var new = store
    var touched: Set<Handle> = []
    for (handle, object) in layer.created {
      new.objects[handle] = object
      touched.insert(handle)
    }
    for (handle, values) in layer.edits {
      if new.objects[handle] == nil {
        // The object was deleted elsewhere, and is inserted again with the context's values.
        new.objects[handle] = views[handle]
        insertedAgain.insert(handle)
      }
      for (attribute, value) in values { new.objects[handle]?.values[attribute] = value }
      touched.insert(handle)
    }
    for handle in layer.deleted { new.remove(handle) }
    for (pair, isThere) in layer.pairs {
      if !isThere {
        new.pairs.remove(pair)
      } else if new.objects[pair.item] != nil && new.objects[pair.mark] != nil {
        new.pairs.insert(pair)
      }
    }
    for (handle, object) in new.objects {
      for (attribute, value) in object.values.enumerated() {
        guard case .object(let other) = value, new.objects[other] == nil else { continue }
        guard touched.contains(handle) else { return nil }
        let isWritten =
          layer.created[handle] != nil || layer.edits[handle]?[attribute] != nil
          || store.objects[handle] == nil
        guard isWritten else { return nil }
        new.objects[handle]?.values[attribute] = .nothing
        history[handle][attribute][.nothing, default: []].insert(Self.saved)
      }
    }
    return new
  }
}
