@testable import ManagedContext
import TestSupport

/// Sequences of steps that would rarely occur by chance.
///
/// They delete most of their objects at the end, so that the model does not need them.
extension RandomGraph {
  /// Saves a new object to the parent, and the parent to the store, during the child's work. The child must notice it.
  /// The object is deleted at the end, so that the model does not need it.
  func saveParentMeanwhile(_ node: Int) throws {
    _ = try visible(node)
    guard let parent = nodes[node].parent, nodes[parent].parent == nil, rootQueue.isEmpty,
      nodes[node].pending.isEmpty, nodes[parent].pending.isEmpty
    else { return }
    let owner = nodes[parent].context
    let saveParent = { @Sendable (context: ManagedObjectContext) throws(StoreError) in _ = try context.save()
    }
    try perform(node) { context, _ in
      let mark = context.insert(Mark.self)
      mark[Mark.Key.word] = "meanwhile"
      try context.save()
      try owner.performAndWait(saveParent)
      let found = try context.fetch(FetchRequest(Mark.self, where: \Mark.word == "meanwhile"))
      guard found === [mark], !mark.id.isTemporary else {
        throw Failure(description: "two objects for a row")
      }
      context.delete(mark)
      try context.save()
      try owner.performAndWait(saveParent)
    }
    note(node, "save the parent meanwhile")
  }

  /// Queries the rows of a save that was just committed, which the context has not been notified of.
  func readWhatIsJustCommitted(_ node: Int) throws {
    guard let root, try settle(node) else { return }
    let (count, question, asksLater) = (Int.random(in: 1..<4, using: &dice), dice.next() % 5, chance(50))
    try perform(node) { context, _ in
      let (owner, mark) = (context.insert(Owner.self), context.insert(Mark.self))
      (owner[Owner.Key.name], mark[Mark.Key.word]) = ("fleeting", "fleeting")
      var items = (0..<count).map { _ in context.insert(Item.self) }
      for item in items {
        (item[Item.Key.label], item[Item.Key.boss]) = ("fleeting", owner)
        item.add(mark, to: Item.Key.marks)
      }
      let (ownerID, markID) = (owner.id, mark.id)
      let ticket = try context.push()
      if asksLater {
        // References to the owner must be read again afterwards.
        let late = context.insert(Item.self)
        (late[Item.Key.label], late[Item.Key.boss]) = ("fleeting", owner)
        late.add(mark, to: Item.Key.marks)
        items.append(late)
      }
      root.flush()
      _ = ticket?.wait()
      let found =
        switch question {
        case 0: owner.minions
        case 1: mark.items
        case 2: try context.fetch(FetchRequest(Item.self, where: \Item.boss == ownerID))
        case 3:
          try context.fetch(FetchRequest(Item.self, where: .to(some: \Item.marks, where: .ids([markID]))))
        default: items
        }
      guard Set(found.map(ObjectIdentifier.init)) == Set(items.map(ObjectIdentifier.init)) else {
        throw Failure(description: "\(found) was found by question \(question), not \(items)")
      }
      context.delete(owner)
      context.delete(mark)
      try context.save()
      guard items.allSatisfy({ $0.isGone || $0.isDeleted }), try context.count(Self.fleeting) == 0 else {
        throw Failure(description: "the rule of \(owner) has missed some of \(items)")
      }
    }
    note(node, "ask \(question) just after a commit")
  }

  /// Deletes objects whose edits are being saved. The save may be refused.
  func deleteWhatIsInFlight(_ node: Int) throws {
    guard let root, try settle(node) else { return }
    let (isRefused, finishes, isFlushed, isReversed) = (chance(50), chance(70), chance(30), chance(50))
    let coordinator = coordinator
    try perform(node) { context, _ in
      let items = (0..<3).map { _ in context.insert(Item.self) }
      for item in items { item[Item.Key.label] = "fleeting" }
      try context.save()
      context.mergePolicy = .error
      defer { context.mergePolicy = .objectTrumps }
      if isRefused {
        let other = ManagedObjectContext(parent: coordinator)
        try other.existingObject(Item.self, with: items[0].id)[Item.Key.number] = -1
        try other.save()
      }
      for item in items { item[Item.Key.label] = "fleeting still" }
      let first = try context.push()
      if isFlushed { root.flush() }
      context.delete(items[1])
      let second = try context.push()
      root.flush()
      for ticket in (isReversed ? [second, first] : [first, second]).compactMap({ $0 }) {
        let outcome = ticket.wait()
        if finishes { context.finish(ticket, outcome: outcome) }
      }
      for item in items { context.refresh(item, mergeChanges: true) }
      try context.save()
      for item in items where !item.isGone { context.delete(item) }
      try context.save()
      guard items.allSatisfy(\.isGone), try context.count(Self.fleeting) == 0 else {
        throw Failure(description: "\(items) are not deleted")
      }
    }
    note(node, "delete what is in flight\(isRefused ? ", refused" : "")")
  }

  /// Removes a pair in one context, and searches for it in another that read it before.
  func partElsewhere(_ node: Int) throws {
    let reader = nodes[node].parent ?? 1 - node
    try saveAndMerge(node, reader)
    let graph = try visible(node)
    guard nodes[node].pending.isEmpty else { return }
    let pair = PlainPair(
      item: try choose(graph.handles(of: Grove.item)) ?? insert(node, Grove.item),
      mark: try choose(graph.handles(of: Grove.mark)) ?? insert(node, Grove.mark))
    try makePair(node, pair)
    try saveAndMerge(node, reader)
    try checkEnds(of: pair, reader)
    guard try visible(node).pairs.contains(pair), !pairsMadeTwice.contains(pair),
      nodes[node].pending.isEmpty
    else { return }
    try setPair(node, pair, false)
    try saveAndMerge(node, reader)
    try checkEnds(of: pair, reader)
  }

  /// Deletes an object in one context and edits it in another, which inserts it again. A third context has read it.
  func insertAgain(_ node: Int) throws {
    guard nodes[node].parent == nil else { return }
    let deleter = 1 - node
    try saveAndMerge(node, deleter)
    try saveAndMerge(deleter, node)
    guard try visible(node) == store, try visible(deleter) == store,
      let handle = choose(store.handles(of: Grove.item))
    else { return }
    let reader = ManagedObjectContext(parent: coordinator)
    let item = try reader.existingObject(Item.self, with: ids[handle].now)
    let known = changes.count
    try set(node, handle, 4, makeValue(Grove.item, 4, store))
    try delete(deleter, handle)
    for context in [deleter, node] {
      try save(context)
      try finishRootSaves()
    }
    for new in changes[known...] { try reader.mergeChanges(from: new) }
    note(node, "insert \(handle) again")
    guard let stored = store.objects[handle], !item.isGone, item.values.map(plain) == stored.values else {
      throw Failure(description: "a reader sees \(item.values.map(plain)), gone: \(item.isGone)")
    }
  }

  private func saveAndMerge(_ node: Int, _ reader: Int) throws {
    try save(node)
    try finishRootSaves()
    for context in [nodes[reader].parent, reader].compactMap({ $0 }) { try merge(context) }
  }

  private func checkEnds(of pair: PlainPair, _ node: Int) throws {
    let graph = try visible(node)
    guard graph.objects[pair.item] != nil, graph.objects[pair.mark] != nil else { return }
    let (item, mark, isPrefetched) = (ids[pair.item], ids[pair.mark], chance(50))
    let (marks, items) = try perform(node) { context, held in
      let (item, mark) = (try item.find(in: context) as? Item, try mark.find(in: context) as? Mark)
      (held[pair.item], held[pair.mark]) = (item, mark)
      if isPrefetched { _ = try context.fetch(FetchRequest(Item.self, prefetching: [\Item.marks])) }
      return (item?.marks.map(\.id) ?? [], mark?.items.map(\.id) ?? [])
    }
    try check(marks, are: graph.marks(of: pair.item), "marks of \(pair.item)")
    try check(
      items, are: graph.pairs.filter { $0.mark == pair.mark }.map(\.item).sorted(), "items of \(pair.mark)")
  }

  private static let fleeting = FetchRequest(
    Item.self, where: \Item.number == -1 || \Item.label == "fleeting" || \Item.label == "fleeting still")

  /// Saves a context over the root; returns false if it does not exist or still has unsaved changes.
  private func settle(_ node: Int) throws -> Bool {
    guard root != nil, nodes[node].parent == nil else { return false }
    try save(node)
    try finishRootSaves()
    return try visible(node) == store && nodes[node].pending.isEmpty
  }
}
