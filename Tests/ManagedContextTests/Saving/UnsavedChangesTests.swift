import ManagedContext
import TestSupport
import Testing

/// The rules for unsaved changes. Only a save or an undo ends them.
@Suite struct UnsavedChangesTests {
  @Test(arguments: StoreKind.allCases)
  func `an edit in a child stays unsaved when its entity is fetched again`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let parent = BackgroundContext(parent: store.coordinator, name: "parent")
    let child = BackgroundContext(parent: parent, name: "child")
    try await child.perform { context in
      let author = try context.fetch(FetchRequest(Author.self))[0]
      author.city = "Rodmell"
      for batchSize in [0, 10] {
        #expect(try context.fetch(FetchRequest(Author.self, batchSize: batchSize)).first === author)
        #expect(author.city == "Rodmell" && author.hasChanges && context.hasChanges)
      }
    }
    #expect(try await child.save().updated.keys.elementsEqual([id]))
    #expect(try await parent.save().updated.keys.elementsEqual([id]))
    #expect(try store.context().existingObject(Author.self, with: id).city == "Rodmell")
  }

  @Test(arguments: StoreKind.allCases)
  func `a change of a many-to-many relationship alone is an unsaved change of both objects`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando", "Flush"])
    let context = store.context()
    let tag = context.insert(Tag.self)
    tag.name = "novel"
    try context.save()
    let books = try context.fetch(FetchRequest(Book.self, sortedBy: [.ascending(\.title)]))
    books[0].add(tag, to: Book.schema.tags)
    #expect(context.hasChanges && books[0].hasChanges && tag.hasChanges && !books[1].hasChanges)
    #expect(Set(context.updatedObjects.map(\.id)) == [books[0].id, tag.id])
    books[0].remove(tag, from: Book.schema.tags)
    #expect(!context.hasChanges && !books[0].hasChanges && context.updatedObjects.isEmpty)
    books[1].tags = [tag]
    try context.save()
    #expect(!context.hasChanges && !books[1].hasChanges)
    let reader = store.context()
    #expect(try reader.existingObject(Tag.self, with: tag.id).books.map(\.title) == ["Orlando"])
    tag.books = []
    #expect(context.hasChanges && books[1].hasChanges)
    context.rollback()
    #expect(!context.hasChanges && !books[1].hasChanges && tag.books === [books[1]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a new object's pairs belong to it once it is saved`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    let parent = BackgroundContext(parent: store.coordinator, name: "parent")
    let child = BackgroundContext(parent: parent, name: "child")
    try await child.perform { context in
      let tag = context.insert(Tag.self)
      tag.name = "novel"
      try context.save()
      tag.books = try context.fetch(FetchRequest(Book.self))
      _ = try parent.performAndWait { (context) throws(StoreError) in try context.save() }
      _ = try context.fetch(FetchRequest(Tag.self))
      #expect(!tag.id.isTemporary && tag.hasChanges)
      try context.save()
      #expect(!tag.hasChanges)
    }
    try await parent.save()
    let reader = store.context()
    #expect(try reader.fetch(FetchRequest(Tag.self))[0].books.map(\.title) == ["Orlando"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a reverted edit is not a change, and the saves of others are shown again`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let ways: [(ManagedObjectContext, Author) throws -> Void] = [
      { context, author in context.refresh(author, mergeChanges: true) },
      { context, _ in context.refreshAllObjects() },
      { context, _ in _ = try context.fetch(FetchRequest(Author.self)) },
      { context, _ in _ = try context.fetch(FetchRequest(Author.self, batchSize: 5)) },
      { context, author in try context.mergeChanges(from: ContextChanges(updatedObjects: [author.id])) },
    ]
    for (place, refresh) in ways.enumerated() {
      let context = store.context()
      let author = try context.existingObject(Author.self, with: id)
      let city = author.city
      author.city = "typed"
      author.city = city
      #expect(!author.hasChanges && !context.hasChanges && context.updatedObjects.isEmpty)
      let other = store.context()
      try other.existingObject(Author.self, with: id).city = "city \(place)"
      try other.save()
      try refresh(context, author)
      #expect(author.city == "city \(place)")
      #expect(try context.fetchIDs(FetchRequest(Author.self, where: \.city == "city \(place)")) == [id])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit that equals the parent's new value is no longer a change`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let context = store.context()
    let author = try context.existingObject(Author.self, with: id)
    author.city = "Rodmell"
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "Rodmell"
    try context.mergeChanges(from: try other.save())
    #expect(!author.hasChanges && !context.hasChanges)
    author.name = "Virginia"
    #expect(try context.save().updated == [id: [AttributeSet(index: Author.schema.name.index)]])
  }

  @Test(arguments: StoreKind.allCases)
  func `an object deleted elsewhere is no longer found after its edit was reverted`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let context = store.context()
    let author = try context.existingObject(Author.self, with: id)
    author.city = nil
    author.city = "London"
    let other = store.context()
    other.delete(try other.existingObject(Author.self, with: id))
    try other.save()
    #expect(try context.fetch(FetchRequest(Author.self)).isEmpty)
    context.refresh(author, mergeChanges: true)
    #expect(author.city == "London" && author.isGone && !context.hasChanges)
  }
}
