import ManagedContext
import TestSupport
import Testing
import Threading

/// Many concurrent contexts, which must agree with the store in the end.
@Suite(.serialized) struct BusyContextsTests {
  @Test(arguments: seeds(12), StoreKind.allCases)
  func `eight contexts that edit the same objects concurrently agree with the store in the end`(
    seed: Int, kind: StoreKind
  ) async throws {
    let (coordinator, place) = try Grove.coordinator(kind)
    let root = seed % 2 == 0 ? RootContext(coordinator: coordinator) : nil
    let base: any ContextParent = root ?? coordinator
    let saved = Locked(ContextChanges())
    let observation = coordinator.didSave.observe { changes in saved.withLock { $0.formUnion(changes) } }
    var contexts: [BackgroundContext] = []
    for number in 0..<8 {
      // The last two contexts are children of the first ones.
      let parent: any ContextParent = number < 6 ? base : contexts[number - 6]
      let policies: [MergePolicy] = [.objectTrumps, .storeTrumps, .overwrite, .rollback, .error]
      contexts.append(
        BackgroundContext(
          parent: parent, name: "context \(number)", mergePolicy: policies[(seed + number) % policies.count],
          mergesChanges: number % 3 != 0))
    }
    await withTaskGroup(of: Void.self) { group in
      for (number, context) in contexts.enumerated() {
        group.addTask { await Self.work(context, SeededGenerator(seed: UInt64(seed * 8 + number))) }
      }
    }
    // The children's saves have reached only their parents.
    for context in contexts { await Self.save(context) }
    let all = saved.withLock { $0 }
    let reader = ManagedObjectContext(parent: coordinator)
    let stored = try Self.contents(reader)
    for context in contexts {
      let (shown, held) = try await context.perform { context in
        try context.mergeChanges(from: all)
        #expect(!context.hasChanges)
        let held = context.registeredObjects.filter { !$0.isFault && !$0.isGone && !$0.id.isTemporary }
        return (try Self.contents(context), held.map(\.id))
      }
      #expect(shown.texts.symmetricDifference(stored.texts) == [], "\(context.executor.name), seed \(seed)")
      // Objects that were read earlier are still present.
      #expect(Set(held).isSubset(of: stored.ids))
    }
    observation.cancel()
    root?.close()
    withExtendedLifetime(place) {}
  }

  private static func work(_ context: BackgroundContext, _ generator: SeededGenerator) async {
    var dice = generator
    for step in 0..<12 {
      let seed = dice.next()
      await context.perform { context in
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<4 { try? change(context, step, &dice) }
      }
      await save(context)
    }
  }

  /// Saves, or discards changes that cannot be saved.
  private static func save(_ context: BackgroundContext) async {
    do {
      try await context.save()
    } catch {
      // An owner may be deleted elsewhere before an item that refers to it is saved. A pair is dropped in that case.
      if case .validation(let broken) = error, !["boss_id", "host_id"].contains(broken.attribute) {
        Issue.record("\(error)")
      }
      await context.perform { $0.rollback() }
    }
  }

  private static func change(
    _ context: ManagedObjectContext, _ step: Int, _ dice: inout SeededGenerator
  ) throws {
    let items = try context.fetch(FetchRequest(Item.self, sortedBy: [.oldestFirst]))
    let owners = try context.fetch(FetchRequest(Owner.self, sortedBy: [.oldestFirst]))
    let marks = try context.fetch(FetchRequest(Mark.self, sortedBy: [.oldestFirst]))
    let item = items.randomElement(using: &dice)
    switch Int.random(in: 0..<10, using: &dice) {
    case 0: context.insert(Owner.self)[Owner.Key.name] = "owner \(dice.next())"
    case 1: context.insert(Mark.self)[Mark.Key.word] = "mark \(dice.next())"
    case 2, 3:
      let new = context.insert(Item.self)
      new[Item.Key.label] = "item \(dice.next())"
      new[Item.Key.boss] = owners.randomElement(using: &dice)
      new[Item.Key.host] = owners.randomElement(using: &dice)
    case 4, 5: item?[Item.Key.number] = Int.random(in: 0..<100, using: &dice)
    case 6: item?[Item.Key.host] = owners.randomElement(using: &dice)
    case 7:
      if let item, let mark = marks.randomElement(using: &dice) { item.add(mark, to: Item.Key.marks) }
    case 8:
      if let item, let mark = item.marks.randomElement(using: &dice) {
        item.remove(mark, from: Item.Key.marks)
      }
    default:
      let all: [ManagedObject] = items + owners + marks
      if step % 3 == 0, let object = all.randomElement(using: &dice) { context.delete(object) }
    }
  }

  private struct Contents: Equatable {
    var ids: Set<ManagedObjectID> = []
    var texts: Set<String> = []
  }

  /// Returns everything that a context shows.
  private static func contents(_ context: ManagedObjectContext) throws -> Contents {
    var contents = Contents()
    for owner in try context.fetch(FetchRequest(Owner.self)) {
      contents.ids.insert(owner.id)
      contents.texts.insert("\(owner.id) \(owner.name) \(owner.minions.map(\.id)) \(owner.guests.map(\.id))")
    }
    for item in try context.fetch(FetchRequest(Item.self, prefetching: [\Item.marks])) {
      contents.ids.insert(item.id)
      let ends = [Item.Key.boss, Item.Key.host].map { item.id($0).map { "\($0)" } ?? "-" }
      contents.texts.insert("\(item.id) \(item.label) \(item.number ?? -1) \(ends) \(item.marks.map(\.id))")
    }
    for mark in try context.fetch(FetchRequest(Mark.self)) {
      contents.ids.insert(mark.id)
      contents.texts.insert("\(mark.id) \(mark.word) \(mark.items.map(\.id))")
    }
    return contents
  }
}
