import ManagedContext
import TestSupport
import Testing

@Suite struct ConflictTests {
  @Test(arguments: StoreKind.allCases)
  func `an edit of an object that is known to be deleted stays unsaved after its save fails`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let (context, other) = (store.context(), store.context())
    let author = try context.existingObject(Author.self, with: id)
    author.city = "Rodmell"
    other.delete(try other.existingObject(Author.self, with: id))
    try context.mergeChanges(from: try other.save())
    for _ in 1...2 {
      #expect(throws: StoreError.self) { try context.save() }
      #expect(author.isGone && author.city == "Rodmell" && author.hasChanges && context.hasChanges)
    }
    context.mergePolicy = .objectTrumps
    try context.save()
    #expect(!author.isGone && !context.hasChanges)
    #expect(try store.context().existingObject(Author.self, with: id).city == "Rodmell")
  }

  /// Reads one author in two contexts. The first saves another city, and the second saves `edit`.
  private func race(
    _ kind: StoreKind, _ policy: MergePolicy, _ edit: (Author) -> Void
  ) throws -> (store: LibraryStore, author: Author, context: ManagedObjectContext, id: ManagedObjectID) {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let (first, second) = (store.context(), store.context(policy))
    let author = try second.existingObject(Author.self, with: id)
    try first.existingObject(Author.self, with: id).city = "Rodmell"
    try first.save()
    edit(author)
    return (store, author, second, id)
  }

  private func row(_ store: LibraryStore, _ id: ManagedObjectID) throws -> [String] {
    let author = try store.context().existingObject(Author.self, with: id)
    return [author.name, author.city ?? "-"]
  }

  @Test(arguments: StoreKind.allCases)
  func `the error policy names the object with both values and writes nothing`(kind: StoreKind) throws {
    let (store, author, context, id) = try race(kind, .error) { $0.city = "Sussex" }
    let conflict = MergeConflict(
      object: id, entity: "author", kind: .changed, objectValues: ["city": .text("Sussex")],
      storeValues: ["city": .text("Rodmell")])
    #expect(throws: StoreError.conflict([conflict])) { try context.save() }
    #expect(try row(store, id) == ["Woolf", "Rodmell"])
    #expect(author.city == "Sussex" && context.hasChanges)
    // After the merge the next save succeeds.
    try context.mergeChanges(from: ContextChanges(updatedObjects: [id]))
    try context.save()
    #expect(try row(store, id) == ["Woolf", "Sussex"])
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      (MergePolicy.storeTrumps, ["Virginia", "Rodmell"]), (.objectTrumps, ["Virginia", "Sussex"]),
      (.overwrite, ["Virginia", "Sussex"]), (.rollback, ["Woolf", "Rodmell"]),
    ])
  func `a policy decides attribute by attribute, and the context adopts the stored values`(
    kind: StoreKind, expected: (MergePolicy, [String])
  ) throws {
    let (store, author, context, id) = try race(kind, expected.0) { author in
      (author.name, author.city) = ("Virginia", "Sussex")
    }
    try context.save()
    #expect(try row(store, id) == expected.1)
    #expect([author.name, author.city ?? "-"] == expected.1)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `overwriting also writes attributes that were not edited`(kind: StoreKind) throws {
    let (store, _, context, id) = try race(kind, .overwrite) { $0.name = "Virginia" }
    try context.save()
    #expect(try row(store, id) == ["Virginia", "London"])
  }

  /// Edits an author in one context after another context deleted it.
  private func editOfDeleted(
    _ kind: StoreKind, _ policy: MergePolicy
  ) throws -> (LibraryStore, ManagedObjectContext, Author) {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let (first, second) = (store.context(), store.context(policy))
    let author = try second.existingObject(Author.self, with: id)
    first.delete(try first.existingObject(Author.self, with: id))
    try first.save()
    author.city = "Sussex"
    return (store, second, author)
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit of a deleted object fails, restores the object or is dropped, depending on the policy`(
    kind: StoreKind
  ) throws {
    let (store, erring, author) = try editOfDeleted(kind, .error)
    let conflict = MergeConflict(
      object: author.id, entity: "author", kind: .deleted, objectValues: ["city": .text("Sussex")],
      storeValues: [:])
    #expect(throws: StoreError.conflict([conflict])) { try erring.save() }
    #expect(try store.context().count(FetchRequest(Author.self)) == 0)
    for policy in [MergePolicy.objectTrumps, .overwrite] {
      let (store, context, author) = try editOfDeleted(kind, policy)
      #expect(try context.save().inserted == [author.id])
      #expect(try row(store, author.id) == ["Woolf", "Sussex"])
    }
    for policy in [MergePolicy.storeTrumps, .rollback] {
      let (store, context, author) = try editOfDeleted(kind, policy)
      try context.save()
      #expect(try store.context().count(FetchRequest(Author.self)) == 0)
      #expect(author.city == "Sussex", "the last known values stay readable")
      #expect(author.isGone)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a deletion of an object that another context edited fails, succeeds or is dropped`(kind: StoreKind)
    throws
  {
    for policy in MergePolicy.allCases {
      let (store, author, context, id) = try race(kind, policy) { _ in }
      context.delete(author)
      switch policy {
      case .error:
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try row(store, id) == ["Woolf", "Rodmell"])
      case .objectTrumps, .overwrite:
        #expect(try context.save().deleted == [id])
        #expect(try store.context().count(FetchRequest(Author.self)) == 0)
      case .storeTrumps, .rollback:
        #expect(try context.save().deleted.isEmpty)
        #expect(author.city == "Rodmell" && !author.isDeleted && !author.isGone)
        #expect(try context.existingObject(Author.self, with: id) === author)
      }
    }
  }

  /// Inserts an author whose name another author has.
  private func duplicate(
    _ kind: StoreKind, _ policy: MergePolicy
  ) throws -> (LibraryStore, ManagedObjectContext, Author, ManagedObjectID) {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let context = store.context(policy)
    let author = context.insert(Author.self)
    (author.name, author.city) = ("Woolf", "Sussex")
    return (store, context, author, id)
  }

  /// The number of conflicts if two processes add the same list of feeds.
  @Test func `a save with thousands of conflicts reports all of them`() throws {
    let store = try LibraryStore(.sqlite)
    for _ in 0..<2 {
      let context = store.context(.error)
      for number in 0..<20_000 { context.insert(Author.self).name = "\(number)" }
      do throws(StoreError) {
        try context.save()
      } catch .conflict(let conflicts) {
        #expect(conflicts.count == 20_000)
        return
      }
    }
    Issue.record("the second save had no conflict")
  }

  @Test(arguments: StoreKind.allCases)
  func `a duplicate unique value is a conflict that names both objects`(kind: StoreKind) throws {
    let (store, context, author, id) = try duplicate(kind, .error)
    let conflict = MergeConflict(
      object: author.id, entity: "author", kind: .unique(attributes: ["name"], other: id),
      objectValues: ["name": .text("Woolf"), "city": .text("Sussex")],
      storeValues: ["name": .text("Woolf"), "city": .text("London")])
    #expect(throws: StoreError.conflict([conflict])) { try context.save() }
    #expect(try store.context().count(FetchRequest(Author.self)) == 1)
    #expect(author.isInserted)
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      (MergePolicy.storeTrumps, "London"), (.rollback, "London"), (.objectTrumps, "Sussex"),
      (.overwrite, "Sussex"),
    ])
  func `a new object with the unique values of a row becomes that row`(
    kind: StoreKind, expected: (MergePolicy, String)
  ) throws {
    let (store, context, author, id) = try duplicate(kind, expected.0)
    let book = context.insert(Book.self)
    (book.title, book.author) = ("Orlando", author)
    try context.save()
    #expect(author.id == id)
    #expect(author.city == expected.1)
    #expect(try row(store, id) == ["Woolf", expected.1])
    #expect(try store.context().fetch(FetchRequest(Book.self)).map { $0.id(Book.schema.author) } == [id])
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit to a unique value of another row fails, yields, or replaces that row`(kind: StoreKind) throws
  {
    for policy in MergePolicy.allCases {
      let store = try LibraryStore(kind)
      let taken = try store.add("Woolf", city: "London")
      let id = try store.add("Stephen", city: "Kensington")
      let context = store.context(policy)
      let author = try context.existingObject(Author.self, with: id)
      (author.name, author.city) = ("Woolf", "Bloomsbury")
      switch policy {
      case .error:
        #expect {
          try context.save()
        } throws: { error in
          guard case .conflict(let conflicts) = error as? StoreError else { return false }
          return conflicts.map(\.kind) == [.unique(attributes: ["name"], other: taken)]
        }
      case .storeTrumps:
        try context.save()
        #expect([author.name, author.city] == ["Stephen", "Bloomsbury"])
      case .rollback:
        try context.save()
        #expect([author.name, author.city] == ["Stephen", "Kensington"])
      case .objectTrumps, .overwrite:
        #expect(try context.save().deleted == [taken])
        #expect(try row(store, id) == ["Woolf", "Bloomsbury"])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a row that others refer to is not deleted for a unique value and causes a conflict`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let taken = try store.add("Woolf", books: ["Orlando"])
    let id = try store.add("Stephen")
    let context = store.context(.objectTrumps)
    try context.existingObject(Author.self, with: id).name = "Woolf"
    #expect {
      try context.save()
    } throws: { error in
      guard case .conflict(let conflicts) = error as? StoreError else { return false }
      return conflicts.map(\.kind) == [.unique(attributes: ["name"], other: taken)]
        && conflicts[0].object == id
    }
    #expect(try store.context().count(FetchRequest(Author.self)) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `the error lists all conflicts of a save`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let ids = try ["a", "b", "c"].map { try store.add($0) }
    let (first, second) = (store.context(), store.context())
    for id in ids {
      try second.existingObject(Author.self, with: id).city = "second"
      try first.existingObject(Author.self, with: id).city = "first"
    }
    try first.save()
    #expect {
      try second.save()
    } throws: { error in
      guard case .conflict(let conflicts) = error as? StoreError else { return false }
      return conflicts.map(\.object) == ids
    }
  }
}
