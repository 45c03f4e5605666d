import ManagedContext
import TestSupport
import Testing

/// A deletion of many rows follows the delete rules of their relationships, as a deletion of objects does.
@Suite struct BatchDeletionTests {
  @Test(arguments: StoreKind.allCases)
  func `the rows at the other end of cascading relationships are deleted too, at any depth`(_ kind: StoreKind)
    throws
  {
    let depot = try Depot(kind)
    let context = depot.context()
    for name in ["a", "b"] {
      let crate = context.insert(Crate.self)
      crate.name = name
      for number in 1...2 {
        let item = context.insert(Thing.self)
        (item.crate, item.name) = (crate.id, "\(name)\(number)")
        context.insert(Part.self).item = item
      }
    }
    try context.save()
    try context.deleteAll(Crate.self, where: \.name == "a")
    let changes = try context.save()
    #expect(changes.deleted.count == 5)
    #expect(try context.fetchValues(FetchRequest(Thing.self), \.name).sorted() == ["b1", "b2"])
    #expect(try context.count(FetchRequest(Part.self)) == 2)
    #expect(context.registeredObjects.filter { !$0.isDeleted && !$0.isGone }.count == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `a chosen row that has changed since keeps its related rows`(_ kind: StoreKind) throws {
    let depot = try Depot(kind)
    let context = depot.context()
    let crates = ["a", "b"].map { name -> Crate in
      let crate = context.insert(Crate.self)
      crate.name = name
      let item = context.insert(Thing.self)
      (item.crate, item.name) = (crate.id, name)
      return crate
    }
    try context.save()
    let chosen = crates.map { RowVersion(id: $0.id, version: 1) }
    crates[1].name = "c"
    try context.save()
    try context.deleteAll(Crate.self, of: chosen)
    try context.save()
    #expect(try context.fetchValues(FetchRequest(Crate.self), \.name) == ["c"])
    #expect(try context.fetchValues(FetchRequest(Thing.self), \.name) == ["b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `other relationships are emptied, pairs are deleted, and a denied deletion changes nothing`(
    _ kind: StoreKind
  ) throws {
    let depot = try Depot(kind)
    let context = depot.context()
    let (crate, label) = (context.insert(Crate.self), context.insert(Label.self))
    (crate.name, label.name) = ("a", "fragile")
    crate.labels = [label]
    let (note, lock) = (context.insert(Note.self), context.insert(Lock.self))
    (note.crate, lock.crate) = (crate.id, crate.id)
    try context.save()

    try context.deleteAll(Crate.self)
    let error = #expect(throws: StoreError.self) { try context.save() }
    guard case .validation(let denied)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(denied.entity == "crate" && denied.attribute == "locks" && denied.cause == .deleteDenied)
    #expect(try depot.context().count(FetchRequest(Crate.self)) == 1)

    let other = depot.context()
    // The end of the save decides.
    try other.deleteAll(Crate.self)
    try other.deleteAll(Lock.self)
    try other.save()
    #expect(try other.fetchValues(FetchRequest(Note.self), \.crate) == [nil])
    #expect(try other.fetch(FetchRequest(Label.self)).map(\.crates.count) == [0])
    #expect(try other.fetchRelatedIDs(\Label.crates, of: nil).isEmpty)
  }
}

extension BatchDeletionTests {
  @Test(arguments: StoreKind.allCases)
  func `a required reference to a deleted row is named`(_ kind: StoreKind) throws {
    let depot = try Depot(kind)
    let context = depot.context()
    let (crate, seal) = (context.insert(Crate.self), context.insert(Seal.self))
    (crate.name, seal.crate) = ("a", crate.id)
    try context.save()
    try context.deleteAll(Crate.self)
    let error = #expect(throws: StoreError.self) { try context.save() }
    guard case .validation(let broken)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(broken.entity == "seal" && broken.attribute == "crate_id" && broken.cause == .missingValue)
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship that was read is read again after its rows were deleted together`(_ kind: StoreKind)
    throws
  {
    let depot = try Depot(kind)
    let context = depot.context()
    let label = context.insert(Label.self)
    label.name = "fragile"
    for name in ["a", "b"] {
      let crate = context.insert(Crate.self)
      crate.name = name
      crate.labels = [label]
    }
    try context.save()
    let reader = depot.context()
    let seen = try #require(try reader.fetch(FetchRequest(Label.self)).first)
    let third = reader.insert(Crate.self)
    third.name = "c"
    seen.add(third, to: Label.schema.crates)
    try reader.save()
    // Reads the relationship without objects.
    #expect(!seen.add(third, to: Label.schema.crates))
    try reader.deleteAll(Crate.self, where: \.name == "a")
    try reader.save()
    #expect(seen.crates.map(\.name) == ["b", "c"])
  }
}

/// Relationships whose references are IDs, or whose pairs have a table with given names.
@Suite struct NamedRelationshipTests {
  @Test(arguments: StoreKind.allCases)
  func `a to-many relationship can have an attribute with IDs as its inverse`(_ kind: StoreKind) throws {
    let depot = try Depot(kind)
    let context = depot.context()
    let (crate, item) = (context.insert(Crate.self), context.insert(Thing.self))
    (crate.name, item.name, item.crate) = ("a", "spoon", crate.id)
    #expect(crate.items === [item])
    try context.save()
    #expect(
      try context.fetch(FetchRequest(Crate.self, where: .to(some: \.items, where: \.name == "spoon"))) === [
        crate
      ])
    #expect(try context.fetch(FetchRequest(Thing.self, where: \.crate == crate.id)) === [item])
    let reader = depot.context()
    let found = try reader.fetch(FetchRequest(Crate.self, prefetching: [\.items]))
    #expect(found.map { $0.items.map(\.name) } == [["spoon"]])
    context.delete(crate)
    try context.save()
    #expect(try reader.count(FetchRequest(Thing.self)) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `an object that was moved elsewhere is added again`(_ kind: StoreKind) throws {
    let depot = try Depot(kind)
    let (here, there) = (depot.context(), depot.context())
    let (first, second, item) = (here.insert(Crate.self), here.insert(Crate.self), here.insert(Thing.self))
    (first.name, second.name, item.name, item.crate) = ("a", "b", "spoon", first.id)
    try here.save()
    try there.fetch(FetchRequest(Thing.self)).first?.crate = second.id
    try there.save()
    here.refresh(item, mergeChanges: false)
    #expect(first.add(item, to: Crate.schema.items))
    try here.save()
    #expect(try depot.context().fetchValues(FetchRequest(Thing.self), \.crate) == [first.id])
  }

  @Test(arguments: StoreKind.allCases)
  func `an ID of another entity is no related object, although the numbers are equal`(_ kind: StoreKind)
    throws
  {
    let depot = try Depot(kind)
    let context = depot.context()
    let (crate, label) = (context.insert(Crate.self), context.insert(Label.self))
    (crate.name, label.name) = ("a", "fragile")
    crate.labels = [label]
    try context.save()
    #expect(
      try context.count(FetchRequest(Crate.self, where: .to(some: \.labels, where: .ids([crate.id])))) == 0)
    #expect(try context.fetchRelatedIDs(\Crate.labels, of: crate.id) == [label.id])
    #expect(try context.fetchRelatedIDs(\Crate.items, of: crate.id).isEmpty)
  }

  @Test func `a many-to-many relationship can have a table with given names`() throws {
    let names = Depot.model.entities.first { $0.name == "sticker" }
    #expect(names?.attributes.map(\.name) == ["crate_id", "label_id"])
    #expect(names?.attributes.map(\.destination) == ["crate", "label"])
    #expect(names?.uniqueness == [[0, 1]] && names?.indexes == [[1]])
  }

  @Test(arguments: StoreKind.allCases)
  func `both ends of such a relationship lead to each other, with and without objects`(_ kind: StoreKind)
    throws
  {
    let depot = try Depot(kind)
    let context = depot.context()
    let crates = ["a", "b", "c"].map { name -> Crate in
      let crate = context.insert(Crate.self)
      crate.name = name
      return crate
    }
    let labels = ["x", "y"].map { name -> Label in
      let label = context.insert(Label.self)
      label.name = name
      return label
    }
    #expect(crates[0].add(labels[0], to: Crate.schema.labels))
    #expect(labels[0].add(crates[1], to: Label.schema.crates))
    try context.save()
    #expect(!crates[0].add(labels[0], to: Crate.schema.labels))
    #expect(!labels[0].add(crates[0], to: Label.schema.crates))
    // A saved pair, and one that is not saved yet.
    #expect(crates[1].add(labels[1], to: Crate.schema.labels))
    for reader in [context, depot.context()] {
      let second = reader === context ? labels.map(\.id) : [labels[0].id]
      #expect(
        try reader.fetchRelatedIDs(\Crate.labels, of: nil) == [
          crates[0].id: [labels[0].id], crates[1].id: second,
        ])
      #expect(
        try reader.fetchRelatedIDs(\Label.crates, of: [labels[0].id]) == [
          labels[0].id: [crates[0].id, crates[1].id]
        ])
      #expect(try reader.countRelated(\Crate.labels, of: crates[1].id) == second.count)
      #expect(try reader.countRelated(\Crate.labels, of: crates[2].id) == 0)
    }
    try context.save()
    let with = FetchRequest(
      Crate.self, where: .to(some: \.labels, where: .ids([labels[0].id])), sortedBy: [.ascending(\.name)])
    #expect(try context.fetch(with) === [crates[0], crates[1]])
    let without = FetchRequest(Crate.self, where: !.to(some: \.labels, where: .constant(true)))
    #expect(try context.fetch(without) === [crates[2]])
    labels[0].remove(crates, from: Label.schema.crates)
    try context.save()
    #expect(try depot.context().fetchRelatedIDs(\Crate.labels, of: nil) == [crates[1].id: [labels[1].id]])
  }
}

/// A store of crates with their contents.
private struct Depot {
  static let model = ManagedObjectModel(
    version: 1, entities: [Crate.self, Thing.self, Part.self, Note.self, Lock.self, Seal.self, Label.self])
  private let coordinator: PersistentStoreCoordinator
  private let place: (any Sendable)?

  init(_ kind: StoreKind) throws {
    let (store, place) = try kind.makeStore(Self.model)
    self.place = place
    coordinator = PersistentStoreCoordinator(model: Self.model, store: store)
  }

  func context() -> ManagedObjectContext { ManagedObjectContext(parent: coordinator) }
}

private final class Crate: ManagedObject, Entity {
  override class var entityName: String { "crate" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let items = ToMany<Thing>("items", onDelete: .cascade)
    let notes = ToMany<Note>("notes")
    let locks = ToMany<Lock>("locks", onDelete: .deny)
    let seals = ToMany<Seal>("seals")
    let labels = ToMany<Label>(
      "labels", inverse: \.crates, table: JoinTable("sticker", own: "crate_id", related: "label_id"))
  }

  static let entity = EntityDeclaration(Crate.self, Schema())
}

private final class Thing: ManagedObject, Entity {
  override class var entityName: String { "item" }

  struct Schema: Sendable {
    let crate = Attribute<ManagedObjectID>("crate_id", to: Crate.self, inverse: \.items)
    let name = Attribute<String>("name")
    let parts = ToMany<Part>("parts", onDelete: .cascade)
  }

  static let entity = EntityDeclaration(Thing.self, Schema())
}

private final class Part: ManagedObject, Entity {
  override class var entityName: String { "part" }

  struct Schema: Sendable {
    let item = ToOne<Thing>("item_id", inverse: \.parts, isOptional: false)
  }

  static let entity = EntityDeclaration(Part.self, Schema())
}

private final class Note: ManagedObject, Entity {
  override class var entityName: String { "note" }

  struct Schema: Sendable {
    let crate = Attribute<ManagedObjectID?>("crate_id", to: Crate.self, inverse: \.notes)
  }

  static let entity = EntityDeclaration(Note.self, Schema())
}

private final class Lock: ManagedObject, Entity {
  override class var entityName: String { "lock" }

  struct Schema: Sendable {
    let crate = Attribute<ManagedObjectID>("crate_id", to: Crate.self, inverse: \.locks)
  }

  static let entity = EntityDeclaration(Lock.self, Schema())
}

private final class Seal: ManagedObject, Entity {
  override class var entityName: String { "seal" }

  struct Schema: Sendable {
    let crate = Attribute<ManagedObjectID>("crate_id", to: Crate.self, inverse: \.seals)
  }

  static let entity = EntityDeclaration(Seal.self, Schema())
}

private final class Label: ManagedObject, Entity {
  override class var entityName: String { "label" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let crates = ToMany<Crate>("crates")
  }

  static let entity = EntityDeclaration(Label.self, Schema())
}
