@testable import ManagedContext
import TestSupport
import Testing

/// Five contexts over one store that perform random operations, compared with a plain model of the expected state.
///
/// Two contexts, A and B, are children of the store or of a root. C and E are children of A, and D is a child of C.
/// Each step is made in the contexts and in the model, and the results of fetches, saves and relationships are
/// compared.
final class RandomGraph {
  /// A context with the model's data about it.
  struct Node {
    let context: BackgroundContext
    /// The parent's index; nil for the store or the root.
    let parent: Int?
    let held = HeldObjects()
    var pending = PlainLayer()
    /// A save that the root has not written yet.
    var inFlight: PlainLayer?
    /// The number of the store's changes that were merged here.
    var merged = 0
    /// All owners that were ever deleted here.
    var deletedOwners: Set<Handle> = []
    /// The owners deleted since the last save.
    var newlyDeletedOwners: Set<Handle> = []
    /// True if only the context may know some unsaved pairs, because an object with pairs was deleted.
    var mayHavePairs = false
    /// The context's values of the objects that it has edited.
    var values: [Handle: PlainObject] = [:]
    /// The edited objects that the context knows to be gone.
    var gone: Set<Handle> = []

    /// The context's view of the objects that it has edited.
    var views: [Handle: PlainObject] { values.filter { !gone.contains($0.key) } }
  }

  /// A save that waits in the root.
  struct RootSave {
    /// The context; nil after it was reset, because it has forgotten the save.
    var node: Int?
    let layer: PlainLayer
    let views: [Handle: PlainObject]
    let ticket: SaveTicket
  }

  /// The IDs of an object: its first one, which some contexts may still use, and its current one.
  struct IDs: Sendable {
    let first: ManagedObjectID
    var now: ManagedObjectID

    func find(in context: ManagedObjectContext) throws -> ManagedObject {
      guard let object = context.registeredObject(for: first) ?? context.object(with: now) else {
        throw Failure(description: "there is no \(now)")
      }
      return object
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let place: (any Sendable)?
  let coordinator: PersistentStoreCoordinator
  let root: RootContext?
  var nodes: [Node] = []
  var store = PlainGraph()
  /// The saves in the root's inbox, in order. A context that was reset has forgotten its own.
  var rootQueue: [RootSave] = []
  var changes: [ContextChanges] = []
  var ids: [IDs] = []
  var entities: [EntityIndex] = []
  var handles: [ManagedObjectID: Handle] = [:]
  /// Every value of each object and attribute, with the contexts that set it and whether it was saved.
  var history: [[ValueHistory]] = []
  /// Pairs that existed before. None is added twice, because a pair is identified by its row.
  var madePairs: Set<PlainPair> = []
  /// Pairs added by both a child and its parent. They are not removed, because one of the two may still be unsaved.
  var pairsMadeTwice: Set<PlainPair> = []
  /// Objects deleted and inserted again. Contexts that knew of their deletion have dropped pairs with them.
  var insertedAgain: Set<Handle> = []
  var counter = 0
  var dice: SeededGenerator
  /// True if all contexts are compared with the model after each step, which also makes them notice ended saves.
  let looksOften: Bool
  /// The operations, for the failure report.
  var log: [String] = []

  init(seed: UInt64, _ kind: StoreKind) throws {
    dice = SeededGenerator(seed: seed)
    looksOften = Int.random(in: 0..<4, using: &dice) == 0
    (coordinator, place) = try Grove.coordinator(kind)
    var grouping = RootContext.Grouping()
    (grouping.rows, grouping.bytes, grouping.delay) = (.max, .max, 1000)
    root =
      Bool.random(using: &dice) ? RootContext(coordinator: coordinator, grouping: grouping) : nil
    let base: any ContextParent = root ?? coordinator
    for (name, parent) in [("A", nil), ("B", nil), ("C", 0), ("D", 2), ("E", 0)] as [(String, Int?)] {
      let context = BackgroundContext(
        parent: parent.map { nodes[$0].context } ?? base, name: name, mergePolicy: .objectTrumps,
        mergesChanges: Bool.random(using: &dice))
      nodes.append(Node(context: context, parent: parent))
    }
  }

  deinit { root?.close() }

  // MARK: Steps

  func run(steps: Int) throws {
    for _ in 0..<steps {
      try step()
      if looksOften { for node in nodes.indices { _ = try visible(node) } }
    }
    try settle()
  }

  func step() throws {
    let node = Int.random(in: 0..<nodes.count, using: &dice)
    switch Int.random(in: 0..<100, using: &dice) {
    case 0..<15: try insert(node)
    case 15..<33: try edit(node)
    case 33..<37: try editAndTakeBack(node)
    case 37..<42: try delete(node)
    case 42..<50: try pair(node)
    case 50..<53: try replaceRelated(node)
    case 53..<66: try checkFetch(node)
    case 66..<69: try checkRelationships(node)
    case 69..<82: try save(node)
    case 82..<85: try finishRootSaves()
    case 85..<87: try rollback(node)
    case 87: try reset(node)
    case 88..<92: try refresh(node)
    case 92: try refreshAll(node)
    case 93: try saveParentMeanwhile(node)
    case 94: try readWhatIsJustCommitted(node)
    case 95: try deleteWhatIsInFlight(node)
    case 96: try partElsewhere(node)
    case 97: try insertAgain(node)
    default: try merge(node)
    }
  }

  @discardableResult
  func insert(_ node: Int, _ entity: EntityIndex? = nil) throws -> Handle {
    let graph = try visible(node)
    let entity = entity ?? EntityIndex([0, 1, 1, 1, 2].randomElement(using: &dice) ?? 1)
    var values = Grove.model[entity].attributes.indices.map { makeValue(entity, $0, graph) }
    if entity == Grove.item { for attribute in 0..<4 where !chance(40) { values[attribute] = .nothing } }
    let handle = ids.count
    let new = values.map(stored)
    let id = try perform(node) { context, held in
      let object = context.insert(Grove.model[entity].objectClass)
      for (index, value) in new.enumerated() { object.setValue(value, at: index) }
      held[handle] = object
      return object.id
    }
    ids.append(IDs(first: id, now: id))
    entities.append(entity)
    handles[id] = handle
    history.append(values.map { [$0: [node]] })
    nodes[node].pending.created[handle] = PlainObject(entity: entity, values: values)
    note(node, "insert \(handle) \(values)")
    return handle
  }

  func edit(_ node: Int) throws {
    guard let (handle, attribute, value) = try chooseEdit(node) else { return }
    try set(node, handle, attribute, value)
    note(node, "edit \(handle).\(attribute) = \(value)")
  }

  func set(_ node: Int, _ handle: Handle, _ attribute: Int, _ value: PlainValue) throws {
    let (id, new) = (ids[handle], stored(value))
    try perform(node) { context, held in
      let object = try id.find(in: context)
      held[handle] = object
      object.setValue(new, at: attribute)
    }
    setInModel(node, handle, attribute, value)
  }

  func editAndTakeBack(_ node: Int) throws {
    guard let (handle, attribute, value) = try chooseEdit(node) else { return }
    let (id, new) = (ids[handle], stored(value))
    try perform(node) { context, _ in
      let object = try id.find(in: context)
      if object.isFault { object.fire() }
      let old = object.values[attribute]
      object.setValue(new, at: attribute)
      object.setValue(old, at: attribute)
    }
    note(node, "edit \(handle).\(attribute) and take it back")
  }

  func chooseEdit(_ node: Int) throws -> (Handle, Int, PlainValue)? {
    let graph = try visible(node)
    guard let handle = choose(graph.objects.keys.sorted()), let object = graph.objects[handle] else {
      return nil
    }
    let attribute = Int.random(in: 0..<object.values.count, using: &dice)
    let value = makeValue(object.entity, attribute, graph)
    return value == object.values[attribute] ? nil : (handle, attribute, value)
  }

  func delete(_ node: Int, _ handle: Handle? = nil) throws {
    guard let handle = try handle ?? choose(visible(node).objects.keys.sorted()) else { return }
    let id = ids[handle]
    try perform(node) { context, held in
      context.delete(try id.find(in: context))
      held[handle] = nil
    }
    nodes[node].pending.delete(handle)
    nodes[node].deletedOwners.insert(handle)
    nodes[node].newlyDeletedOwners.insert(handle)
    nodes[node].mayHavePairs = true
    note(node, "delete \(handle)")
  }

  func pair(_ node: Int) throws {
    let graph = try visible(node)
    let known = graph.pairs.subtracting(pairsMadeTwice)
    if chance(30), let pair = choose(known.sorted { ($0.item, $0.mark) < ($1.item, $1.mark) }) {
      try setPair(node, pair, false)
    } else if let item = choose(graph.handles(of: Grove.item)),
      let mark = choose(graph.handles(of: Grove.mark))
    {
      let pair = PlainPair(item: item, mark: mark)
      if !graph.pairs.contains(pair) { try makePair(node, pair) }
    }
  }

  /// Adds a pair that never existed, and sometimes the same pair in the parent, which does not know of it.
  func makePair(_ node: Int, _ pair: PlainPair) throws {
    guard madePairs.insert(pair).inserted else { return }
    try setPair(node, pair, true)
    guard let parent = nodes[node].parent, chance(40) else { return }
    let graph = try visible(parent)
    guard graph.objects[pair.item] != nil && graph.objects[pair.mark] != nil else { return }
    try setPair(parent, pair, true)
    pairsMadeTwice.insert(pair)
  }

  func setPair(_ node: Int, _ pair: PlainPair, _ isThere: Bool) throws {
    let (item, mark, isBackward) = (ids[pair.item], ids[pair.mark], chance(50))
    let takesBack = nodes[node].pending.pairs[pair] == !isThere
    let isSet = try perform(node) { context, _ in
      guard let item = try item.find(in: context) as? Item, let mark = try mark.find(in: context) as? Mark
      else { throw Failure(description: "no ends of \(pair)") }
      // A parent that has reverted a deletion does not notify its children.
      if item.isGone || mark.isGone { return false }
      switch (isThere, isBackward) {
      case (true, false): item.add(mark, to: Item.Key.marks)
      case (true, true): mark.add(item, to: Mark.Key.items)
      case (false, false): item.remove(mark, from: Item.Key.marks)
      case (false, true): mark.remove(item, from: Mark.Key.items)
      }
      if let error = context.faultError { throw error }
      guard takesBack || context.hasChanges && item.hasChanges && mark.hasChanges else {
        throw Failure(description: "no changes after \(pair)")
      }
      return true
    }
    guard isSet else { return }
    nodes[node].pending.pairs[pair] = isThere
    note(node, "\(isThere ? "join" : "part") \(pair.item) and \(pair.mark)")
  }

  /// Replaces the guests of an owner.
  func replaceRelated(_ node: Int) throws {
    try refreshAll(node)
    let graph = try visible(node)
    guard let owner = choose(graph.handles(of: Grove.owner)) else { return }
    let wanted = graph.handles(of: Grove.item).filter { _ in chance(30) }
    let (id, wantedIDs) = (ids[owner], wanted.map { ids[$0] })
    try perform(node) { context, _ in
      guard let owner = try id.find(in: context) as? Owner else { return }
      owner[Owner.Key.guests] = try wantedIDs.compactMap { try $0.find(in: context) as? Item }
      if let error = context.faultError { throw error }
    }
    for item in graph.items(with: 1, leadingTo: owner) where !wanted.contains(item) {
      setInModel(node, item, 1, .nothing)
    }
    for item in wanted where graph.objects[item]?.values[1] != .object(owner) {
      setInModel(node, item, 1, .object(owner))
    }
    note(node, "the guests of \(owner) are \(wanted)")
  }

  func setInModel(_ node: Int, _ handle: Handle, _ attribute: Int, _ value: PlainValue) {
    history[handle][attribute][value, default: []].insert(node)
    nodes[node].pending.set(handle, attribute, value)
  }

  func rollback(_ node: Int) throws {
    try perform(node) { context, _ in context.rollback() }
    drop(node, nodes[node].pending.created.keys)
    nodes[node].pending = PlainLayer()
    nodes[node].mayHavePairs = false
    nodes[node].newlyDeletedOwners = []
    note(node, "roll back")
  }

  func reset(_ node: Int) throws {
    try perform(node) { context, held in
      context.reset()
      held.removeAll()
    }
    nodes[node].pending = PlainLayer()
    nodes[node].mayHavePairs = false
    nodes[node].newlyDeletedOwners = []
    nodes[node].inFlight = nil
    for place in rootQueue.indices where rootQueue[place].node == node { rootQueue[place].node = nil }
    note(node, "reset")
  }

  func refresh(_ node: Int) throws {
    let pending = nodes[node].pending
    let known = Array(pending.edits.keys) + Array(pending.deleted) + Array(try visible(node).objects.keys)
    guard let handle = choose(known.sorted()), pending.created[handle] == nil else { return }
    // The pairs that were deleted with an object do not return with it.
    if pending.deleted.contains(handle) && entities[handle] != Grove.owner { return }
    let (id, mergesChanges) = (ids[handle], chance(50))
    try perform(node) { context, _ in
      context.refresh(try id.find(in: context), mergeChanges: mergesChanges)
    }
    if !mergesChanges {
      nodes[node].pending.edits[handle] = nil
      nodes[node].pending.deleted.remove(handle)
      nodes[node].newlyDeletedOwners.remove(handle)
    }
    note(node, "refresh \(handle)\(mergesChanges ? "" : ", discarding")")
  }

  func refreshAll(_ node: Int) throws {
    try perform(node) { context, _ in context.refreshAllObjects() }
    note(node, "refresh all")
  }

  /// Merges the store's notifications since the last merge.
  func merge(_ node: Int) throws {
    var union = ContextChanges()
    for more in changes[nodes[node].merged...] { union.formUnion(more) }
    nodes[node].merged = changes.count
    let all = union
    try perform(node) { context, _ in _ = try context.mergeChanges(from: all) }
    note(node, "merge")
  }

  // MARK: Rules of the model

  /// Removes references to objects that this context has deleted, unless a delete rule does, and references to objects
  /// that were never saved and no longer exist.
  func clean(_ node: Int) throws {
    let graph = try visible(node)
    let deleted = nodes[node].deletedOwners
    for handle in graph.handles(of: Grove.item) {
      guard let object = graph.objects[handle] else { continue }
      for attribute in 0..<4 {
        guard let owner = object.values[attribute].handle, graph.objects[owner] == nil else { continue }
        let isLost = ids[owner].now.isTemporary
        if isLost || attribute == 3 && deleted.contains(owner)
          || attribute == 2 && deleted.contains(owner) && chance(70)
        {
          try set(node, handle, attribute, .nothing)
        }
      }
    }
  }

  /// Applies the delete rules of all deleted owners.
  func applyRules(_ node: Int) {
    let graph = predicted(node)
    for owner in nodes[node].newlyDeletedOwners where graph.objects[owner] == nil {
      for item in graph.items(with: 0, leadingTo: owner) {
        nodes[node].pending.delete(item)
        nodes[node].held[item] = nil
      }
      for item in predicted(node).items(with: 1, leadingTo: owner) {
        setInModel(node, item, 1, .nothing)
        nodes[node].values[item] = graph.objects[item]
        nodes[node].values[item]?.values[1] = .nothing
      }
    }
  }

  func isDenied(_ node: Int) -> Bool {
    let graph = predicted(node)
    return nodes[node].pending.deleted.contains { !graph.items(with: 2, leadingTo: $0).isEmpty }
  }

  func checkDenied(_ error: StoreError, _ isDenied: Bool) throws {
    let causes = error.violations.map(\.cause)
    // A new item may lead to the deleted owner.
    guard isDenied, causes.contains(.deleteDenied),
      causes.allSatisfy({ $0 == .deleteDenied || $0 == .brokenRelationship })
    else { throw error }
  }

  // MARK: Values

  func makeValue(_ entity: EntityIndex, _ attribute: Int, _ graph: PlainGraph) -> PlainValue {
    counter += 1
    switch Grove.model[entity].attributes[attribute].type {
    case .text: return .text("t\(counter)")
    case .reference: return choose(graph.handles(of: Grove.owner)).map(PlainValue.object) ?? .nothing
    default: return chance(20) ? .nothing : .number(counter)
    }
  }

  func stored(_ value: PlainValue) -> AttributeValue {
    switch value {
    case .nothing: .null
    case .text(let text): .text(text)
    case .number(let number): .integer(Int64(number))
    case .object(let handle): .reference(ids[handle].now)
    }
  }

  func plain(_ value: AttributeValue) -> PlainValue {
    switch value {
    case .text(let text): .text(text)
    case .integer(let number): .number(Int(number))
    case .reference(let id): handles[id].map(PlainValue.object) ?? .text("\(id)")
    default: .nothing
    }
  }

  func handle(_ id: ManagedObjectID) throws -> Handle {
    guard let handle = handles[id] else { throw Failure(description: "\(id) is unknown") }
    return handle
  }

  // MARK: Bookkeeping

  func adopt(_ changes: ContextChanges) {
    for (temporary, permanent) in changes.permanentIDs {
      guard let handle = handles[temporary] else { continue }
      ids[handle].now = permanent
      handles[permanent] = handle
    }
    self.changes.append(changes)
  }

  func noteSaved(_ layer: PlainLayer) {
    for (handle, object) in layer.created {
      for (attribute, value) in object.values.enumerated() {
        history[handle][attribute][value, default: []].insert(Self.saved)
      }
    }
    for (handle, values) in layer.edits {
      for (attribute, value) in values { history[handle][attribute][value, default: []].insert(Self.saved) }
    }
  }

  func drop(_ node: Int, _ handles: some Sequence<Handle>) {
    for handle in handles { nodes[node].held[handle] = nil }
  }

  func perform<Value: Sendable>(
    _ node: Int, _ body: @Sendable (ManagedObjectContext, HeldObjects) throws -> Value
  ) throws -> Value {
    let held = nodes[node].held
    return try nodes[node].context.performAndWait { try body($0, held) }
  }

  func note(_ node: Int, _ text: String) { log.append("\(name(node)): \(text)") }

  func name(_ node: Int) -> String { nodes[node].context.executor.name }

  func choose<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &dice) }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &dice) < percent }

  typealias ValueHistory = [PlainValue: Set<Int>]
  /// The history's mark for a value that was saved.
  static let saved = -1
}

/// Objects held by a program, used only on the thread of their context.
final class HeldObjects: @unchecked Sendable {
  var all: [Handle: ManagedObject] = [:]

  subscript(handle: Handle) -> ManagedObject? {
    get { all[handle] }
    set { all[handle] = newValue }
  }

  func removeAll() { all = [:] }
}

extension PlainValue {
  var handle: Handle? { if case .object(let handle) = self { handle } else { nil } }
  var number: Int? { if case .number(let number) = self { number } else { nil } }
}
