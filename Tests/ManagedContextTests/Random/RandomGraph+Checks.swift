@testable import ManagedContext
import TestSupport

extension RandomGraph {
  func checkFetch(_ node: Int) throws {
    if chance(30) { try checkGroups(node) }
    let graph = try visible(node)
    let (predicate, holds) = itemPredicate(graph, depth: 0)
    var request = FetchRequest(Item.self, where: predicate)
    var expected = graph.handles(of: Grove.item).filter { handle in
      graph.objects[handle].map { holds(handle, $0) } ?? false
    }
    let isSorted = chance(70)
    if isSorted {
      let isAscending = chance(50)
      switch Int.random(in: 0..<5, using: &dice) {
      case 0: expected.sort { graph.precedes($0, $1, isAscending) { _, _ in .nothing } }
      case 1:
        request.sort = [isAscending ? .ascending(\.boss!.rank) : .descending(\.boss, \.rank)]
        expected.sort { graph.precedes($0, $1, isAscending, PlainGraph.rankOfBoss) }
      case 2:
        request.sort = [isAscending ? .ascending(.count(\.marks)) : .descending(.count(\.marks))]
        expected.sort { left, right in
          let (ours, theirs) = (graph.marks(of: left).count, graph.marks(of: right).count)
          guard ours == theirs else { return (ours < theirs) == isAscending }
          return graph.precedes(left, right, true) { _, _ in .nothing }
        }
      default:
        request.sort = [isAscending ? .ascending(\.number) : .descending(\.number)]
        expected.sort { graph.precedes($0, $1, isAscending) { $1.values[5] } }
      }
      request.sort.append(.ascending(\.label))
      if chance(30) {
        request.offset = Int.random(in: 0..<3, using: &dice)
        request.limit = Int.random(in: 0..<5, using: &dice)
        expected = Array(expected.dropFirst(request.offset).prefix(request.limit ?? 0))
      }
    }
    request.batchSize = [0, 0, 1, 3].randomElement(using: &dice) ?? 0
    if chance(30) { request.prefetched = [\Item.marks, \Item.boss] }
    let asked = request
    let isPrefetched = !request.prefetched.isEmpty
    let handles = handles
    let rows = try perform(node) { context, held in
      let found = try context.fetch(asked)
      guard try context.count(asked) == found.count else {
        throw Failure(description: "a count differs from its fetch")
      }
      return try found.map { item -> (ManagedObjectID, [AttributeValue], [ManagedObjectID]?) in
        if let handle = handles[item.id] {
          if let known = held[handle], known !== item {
            throw Failure(description: "two objects for \(handle)")
          }
          held[handle] = item
        }
        if item.isFault { item.fire() }
        return (item.id, item.values, isPrefetched ? item.marks.map(\.id) : nil)
      }
    }
    var found = try rows.map { row in try handle(row.0) }
    if !isSorted { found.sort() }
    note(node, "fetch \(expected)")
    guard found == expected else { throw Failure(description: "found \(found), not \(expected)") }
    for (id, values, marks) in rows {
      let handle = try handle(id)
      guard let object = graph.objects[handle], object.values == values.map(plain) else {
        throw Failure(
          description:
            "fetched \(handle) as \(values.map(plain)), not \(String(describing: graph.objects[handle]))")
      }
      if let marks { try check(marks, are: graph.marks(of: handle), "marks of \(handle)") }
    }
  }

  /// Compares the targets of relationships after refreshing all objects or merging others' saves.
  func checkRelationships(_ node: Int) throws {
    if nodes[node].parent == nil && chance(50) { try merge(node) } else { try refreshAll(node) }
    let graph = try visible(node)
    let (owners, items) = (graph.handles(of: Grove.owner), graph.handles(of: Grove.item))
    let (ownerIDs, itemIDs) = (owners.map { ids[$0] }, items.map { ids[$0] })
    let (led, marks) = try perform(node) { context, _ in
      let led = try ownerIDs.map { id -> [[ManagedObjectID]] in
        guard let owner = try id.find(in: context) as? Owner else { return [] }
        return [owner.minions, owner.guests, owner.wards, owner.notes].map { $0.map(\.id) }
      }
      let marks = try itemIDs.map { (try $0.find(in: context) as? Item)?.marks.map(\.id) ?? [] }
      if let error = context.faultError { throw error }
      return (led, marks)
    }
    note(node, "walk")
    for (owner, lists) in zip(owners, led) {
      for attribute in 0..<4 {
        let expected = graph.items(with: attribute, leadingTo: owner)
        try check(
          lists.indices.contains(attribute) ? lists[attribute] : [], are: expected, "\(attribute) of \(owner)"
        )
      }
    }
    for (item, found) in zip(items, marks) {
      try check(found, are: graph.marks(of: item), "marks of \(item)")
    }
  }

  func check(_ found: [ManagedObjectID], are expected: [Handle], _ what: String) throws {
    let found = try found.map { try handle($0) }.sorted()
    guard found == expected else { throw Failure(description: "\(what) are \(found), not \(expected)") }
  }

  func checkStore() throws {
    let context = ManagedObjectContext(parent: coordinator)
    var graph = PlainGraph()
    for entity in [Grove.owner, Grove.item, Grove.mark] {
      let rows = try context.rows(StoreQuery(entity: entity))
      for row in 0..<rows.count {
        let values = context.values(of: rows, row: row).map(plain)
        graph.objects[try handle(rows.id(row: row))] = PlainObject(entity: entity, values: values)
      }
    }
    for item in try context.fetch(FetchRequest(Item.self, prefetching: [\Item.marks])) {
      for mark in item.marks {
        let pair = PlainPair(item: try handle(item.id), mark: try handle(mark.id))
        guard graph.pairs.insert(pair).inserted else { throw Failure(description: "\(pair) is stored twice") }
      }
    }
    let uncertain = graph.pairs.symmetricDifference(store.pairs).filter {
      insertedAgain.contains($0.item) || insertedAgain.contains($0.mark)
    }
    store.pairs = store.pairs.subtracting(uncertain).union(graph.pairs.intersection(uncertain))
    guard graph == store else {
      let differing = Set(graph.objects.keys).union(store.objects.keys).filter {
        graph.objects[$0] != store.objects[$0]
      }
      let objects = differing.sorted().map {
        "\($0): \(String(describing: graph.objects[$0])), not \(String(describing: store.objects[$0]))"
      }
      throw Failure(
        description: "the store has \(objects), pairs \(graph.pairs.symmetricDifference(store.pairs))")
    }
  }

  /// Saves everything, merges everything, and compares everything.
  func settle() throws {
    try finishRootSaves()
    for node in [3, 2, 4, 0, 1] {
      try save(node)
      try finishRootSaves()
      if !nodes[node].pending.isEmpty { try rollback(node) }
    }
    for node in nodes.indices {
      nodes[node].merged = 0
      try merge(node)
      let graph = try visible(node)
      guard graph == store else { throw Failure(description: "\(node) does not agree with the store") }
      let shown = try perform(node) { context, held in
        guard !context.hasChanges else { throw Failure(description: "something is unsaved") }
        return held.all.map {
          ($0.key, $0.value.isGone || $0.value.isDeleted, $0.value.isFault, $0.value.values)
        }
      }
      // No context is notified that an object that was never saved to the store is gone.
      for (handle, isGone, isFault, values) in shown where !isFault && !ids[handle].now.isTemporary {
        if isGone != (store.objects[handle] == nil) {
          throw Failure(description: "\(node) takes \(handle) for \(isGone ? "gone" : "there")")
        }
        if let stored = store.objects[handle], stored.values != values.map(plain) {
          throw Failure(description: "\(node) shows \(handle) as \(values.map(plain)), not \(stored.values)")
        }
      }
      try checkFetch(node)
      try checkRelationships(node)
    }
  }
}
