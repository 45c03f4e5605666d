import ManagedContext
import TestSupport
import Testing

/// Unique values within one save: only clashes at its end are conflicts.
@Suite struct UniqueValueTests {
  /// Creates authors A and B with a book each, in a context that has just saved them.
  private func authors(
    _ kind: StoreKind, _ policy: MergePolicy
  ) throws -> (store: LibraryStore, context: ManagedObjectContext, a: Author, b: Author) {
    let store = try LibraryStore(kind)
    let context = store.context(policy)
    let authors = ["A", "B"].map { name in
      let author = context.insert(Author.self)
      (author.name, author.city) = (name, "of \(name)")
      let book = context.insert(Book.self)
      (book.title, book.author) = ("by \(name)", author)
      return author
    }
    try context.save()
    return (store, context, authors[0], authors[1])
  }

  private func rows(_ store: LibraryStore) throws -> [String] {
    let reader = store.context()
    return try reader.fetch(FetchRequest(Author.self, sortedBy: [.oldestFirst])).map {
      "\($0.name) \($0.city ?? "-"): \($0.books.map(\.title).joined())"
    }
  }

  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `a new object may use a value that an edit of the same save releases`(
    kind: StoreKind, policy: MergePolicy
  ) throws {
    let (store, context, a, _) = try authors(kind, policy)
    let new = context.insert(Author.self)
    new.name = "A"
    a.name = "C"
    try context.save()
    #expect(try rows(store) == ["C of A: by A", "B of B: by B", "A -: "])
    #expect(!context.hasChanges && a.name == "C" && new.name == "A")
    a.city = "again"
    #expect(try context.save().updated.count == 1)
  }

  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `two objects may exchange their values`(kind: StoreKind, policy: MergePolicy)
    throws
  {
    let (store, context, a, b) = try authors(kind, policy)
    (a.name, b.name) = ("B", "A")
    let changes = try context.save()
    #expect(changes.updated.count == 2 && changes.inserted.isEmpty && changes.deleted.isEmpty)
    #expect(try rows(store) == ["B of A: by A", "A of B: by B"])
    // Both objects have the stored version.
    (a.city, b.city) = ("1", "2")
    #expect(try context.save().updated.count == 2)
    #expect(try rows(store) == ["B 1: by A", "A 2: by B"])
  }

  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `many objects may shift their values along a chain or a circle`(
    kind: StoreKind, policy: MergePolicy
  ) throws {
    let store = try LibraryStore(kind)
    let context = store.context(policy)
    let authors = (0..<50).map { place in
      let author = context.insert(Author.self)
      (author.name, author.city) = ("\(place)", "\(place)")
      return author
    }
    try context.save()
    for (place, author) in authors.enumerated() { author.name = "\(place + 1)" }
    try context.save()
    for (place, author) in authors.enumerated() { author.name = "\((place + 7) % 50 + 1)" }
    try context.save()
    let found = try store.context().fetch(FetchRequest(Author.self, sortedBy: [.oldestFirst]))
    #expect(found.map(\.name) == (0..<50).map { "\(($0 + 7) % 50 + 1)" })
    #expect(found.map(\.city) == (0..<50).map { "\($0)" })
  }

  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `a circle that contains a new object is resolved too`(kind: StoreKind, policy: MergePolicy) throws {
    let (store, context, a, b) = try authors(kind, policy)
    let book = try #require(a.books.first)
    let new = context.insert(Author.self)
    new.name = "A"
    (a.name, b.name) = ("B", "C")
    // The book refers to the new object, which has to wait for the name.
    (book.author, book.title) = (new, "by new")
    try context.save()
    #expect(try rows(store) == ["B of A: ", "C of B: by B", "A -: by new"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a value that another object keeps is a conflict for every step that waits for it`(kind: StoreKind)
    throws
  {
    let (store, context, a, b) = try authors(kind, .error)
    let other = store.context()
    let c = other.insert(Author.self)
    c.name = "C"
    try other.save()
    (a.name, b.name) = ("B", "C")
    #expect {
      try context.save()
    } throws: { error in
      guard case .conflict(let conflicts) = error as? StoreError else { return false }
      return conflicts.map(\.object) == [b.id, a.id]
        && conflicts[0].kind == .unique(attributes: ["name"], other: c.id)
        && conflicts[1].kind == .unique(attributes: ["name"], other: b.id)
    }
    #expect(try rows(store) == ["A of A: by A", "B of B: by B", "C -: "])
    context.mergePolicy = .storeTrumps
    a.city = "moved"
    try context.save()
    #expect(try rows(store) == ["A moved: by A", "B of B: by B", "C -: "])
    #expect([a.name, b.name] == ["A", "B"] && !context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `the conflict of two new objects with the same unique value names both as new`(kind: StoreKind)
    throws
  {
    let store = try LibraryStore(kind)
    let context = store.context(.error)
    let ids = ["first", "second"].map { city in
      let author = context.insert(Author.self)
      (author.name, author.city) = ("Woolf", city)
      return author.id
    }
    #expect {
      try context.save()
    } throws: { error in
      guard case .conflict(let conflicts) = error as? StoreError, conflicts.count == 1 else { return false }
      return conflicts[0].object == ids[1]
        && conflicts[0].kind == .unique(attributes: ["name"], other: ids[0])
        && "\(conflicts[0])" == "\(ids[1]) (author) has the same name as \(ids[0]): “Woolf”"
    }
    #expect(context.hasChanges)
  }
}
