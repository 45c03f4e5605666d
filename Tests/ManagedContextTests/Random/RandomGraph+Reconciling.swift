@testable import ManagedContext
import TestSupport

/// The comparison of a context with the model.
extension RandomGraph {
  /// Returns the expected view of a context: its parent's view, with its unsaved changes.
  func visible(_ node: Int) throws -> PlainGraph {
    if let parent = nodes[node].parent { _ = try visible(parent) }
    try reconcile(node)
    return predicted(node)
  }

  /// Returns the expected view as far as the model alone knows it.
  func predicted(_ node: Int) -> PlainGraph {
    var graph = nodes[node].parent.map(predicted) ?? store
    if let inFlight = nodes[node].inFlight {
      graph = graph.overlaid(with: inFlight, views: nodes[node].views)
    }
    return graph.overlaid(with: nodes[node].pending, views: nodes[node].views)
  }

  /// A context's object with unsaved changes.
  struct Unsaved: Sendable {
    let id: ManagedObjectID
    let values: [AttributeValue]
    let changed: [Int]
    let isInserted: Bool
    let isDeleted: Bool
    let isGone: Bool
  }

  /// Checks that the unsaved changes of a context equal those of the model. It also records facts that the model cannot
  /// know: the values that the context read for its edited objects, the delete rules that ran, and the changes that its
  /// parent already had.
  func reconcile(_ node: Int) throws {
    let model = nodes[node].pending
    let inFlight = nodes[node].inFlight ?? PlainLayer()
    let ours = Set(model.created.keys).union(model.edits.keys).union(model.deleted)
      .union(inFlight.edits.keys).union(inFlight.created.keys).map { ($0, ids[$0]) }
    let (unsaved, known, hasChanges) = try perform(node) { context, _ in
      func describe(_ object: ManagedObject) -> Unsaved {
        Unsaved(
          id: object.id, values: object.values, changed: object.changedAttributes,
          isInserted: object.isInserted,
          isDeleted: object.isDeleted, isGone: object.isGone)
      }
      context.learnIDs()
      try context.applyDeleteRules()
      let unsaved = context.pending.objects.filter { !$0.isPair }.map(describe)
      let known = ours.map { handle, id in
        (
          handle,
          (context.registeredObject(for: id.first) ?? context.registeredObject(for: id.now)).map(describe)
        )
      }
      return (unsaved, known, context.hasChanges)
    }
    (nodes[node].values, nodes[node].gone) = ([:], [])
    for object in unsaved { try learn(node, object) }
    for (handle, object) in known { try check(node, handle, object, inFlight) }
    let pending = nodes[node].pending
    let isCertain = model.pairs.isEmpty && !nodes[node].mayHavePairs
    if hasChanges != !pending.isEmpty && (isCertain || !hasChanges && !pending.edits.isEmpty) {
      throw Failure(description: "\(name(node)): hasChanges is \(hasChanges), with \(pending)")
    }
  }

  /// Adds the effects of delete rules to the model. Any other unexpected change is a failure.
  func learn(_ node: Int, _ object: Unsaved) throws {
    guard let handle = handles[object.id] else { throw Failure(description: "\(object.id) is unknown") }
    let deleted = nodes[node].deletedOwners
    if object.isDeleted {
      if nodes[node].pending.deleted.contains(handle) { return }
      guard object.values.first.map(plain).flatMap(\.handle).map(deleted.contains) == true else {
        throw Failure(description: "\(name(node)): \(handle) is deleted by nobody")
      }
      nodes[node].pending.delete(handle)
      nodes[node].held[handle] = nil
      nodes[node].mayHavePairs = true
      return
    }
    if let created = nodes[node].pending.created[handle] {
      for (attribute, value) in created.values.enumerated() where plain(object.values[attribute]) == .nothing
      {
        if attribute == 1, let owner = value.handle, deleted.contains(owner) {
          setInModel(node, handle, attribute, .nothing)
        }
      }
      return
    }
    for attribute in object.changed where nodes[node].pending.edits[handle]?[attribute] == nil {
      guard attribute == 1, plain(object.values[attribute]) == .nothing, !deleted.isEmpty else {
        throw Failure(
          description:
            "\(name(node)): \(handle).\(attribute) is edited by nobody: \(object.values.map(plain))")
      }
      setInModel(node, handle, attribute, .nothing)
      nodes[node].values[handle] = PlainObject(
        entity: object.id.entity, values: object.values.map(plain))
    }
  }

  func check(
    _ node: Int, _ handle: Handle, _ object: Unsaved?, _ inFlight: PlainLayer
  ) throws {
    let pending = nodes[node].pending
    if let created = pending.created[handle] {
      guard let object, object.isInserted else {
        // A rule has deleted it if its boss was deleted.
        guard created.values[0].handle.map(nodes[node].deletedOwners.contains) == true else {
          throw Failure(description: "\(name(node)): the new object \(handle) is lost")
        }
        nodes[node].pending.delete(handle)
        return
      }
      let values = object.values.map(plain)
      guard values == created.values else {
        throw Failure(
          description: "\(name(node)): the new object \(handle) has \(values), not \(created.values)")
      }
      return
    }
    if pending.deleted.contains(handle) {
      // An object that was deleted elsewhere as well is no longer deleted here, even if it was inserted again.
      if object.map({ $0.isGone || !$0.isDeleted }) ?? true {
        guard object?.isGone ?? true || insertedAgain.contains(handle) else {
          throw Failure(description: "\(name(node)): \(handle) is not deleted")
        }
        nodes[node].pending.deleted.remove(handle)
        nodes[node].newlyDeletedOwners.remove(handle)
      }
      return
    }
    guard let object, !object.values.isEmpty else {
      throw Failure(
        description:
          "\(name(node)): the edited object \(handle) is lost, there is \(String(describing: object))")
    }
    var values =
      inFlight.created[handle]?.values.enumerated().reduce(into: [Int: PlainValue]()) {
        $0[$1.offset] = $1.element
      } ?? [:]
    values.merge(inFlight.edits[handle] ?? [:]) { $1 }
    values.merge(pending.edits[handle] ?? [:]) { $1 }
    for (attribute, value) in values {
      let shown = plain(object.values[attribute])
      if attribute == 1, shown == .nothing, value.handle.map(nodes[node].deletedOwners.contains) == true {
        setInModel(node, handle, attribute, .nothing)
        if !object.changed.contains(attribute) { dropEdit(node, handle, attribute) }
        continue
      }
      if let edit = pending.edits[handle]?[attribute], !object.changed.contains(attribute) {
        guard history[handle][attribute][edit]?.contains(where: { $0 != node }) == true else {
          throw Failure(
            description: "\(name(node)): the edit \(handle).\(attribute) = \(edit) is lost, it shows \(shown)"
          )
        }
        dropEdit(node, handle, attribute)
        continue
      }
      guard shown == value else {
        throw Failure(
          description: "\(name(node)): \(handle).\(attribute) shows \(shown), not the edit \(value)")
      }
    }
    nodes[node].values[handle] = PlainObject(entity: object.id.entity, values: object.values.map(plain))
    if object.isGone { nodes[node].gone.insert(handle) }
  }

  func dropEdit(_ node: Int, _ handle: Handle, _ attribute: Int) {
    nodes[node].pending.edits[handle]?[attribute] = nil
    if nodes[node].pending.edits[handle]?.isEmpty == true { nodes[node].pending.edits[handle] = nil }
  }
}
