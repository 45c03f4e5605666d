@testable import ManagedContext
import TestSupport
import Testing

@Suite struct NestedContextTests {
  private let store: LibraryStore
  private let parent: BackgroundContext

  init() throws {
    store = try LibraryStore(.sqlite)
    parent = BackgroundContext(parent: store.coordinator, name: "parent")
  }

  private func stored() throws -> [String] {
    try store.context().fetchValues(FetchRequest(Author.self, sortedBy: [.ascending(\.name)]), \.name)
  }

  @Test
  func `a child's save reaches the parent in memory, and the store with the parent's save`() async throws {
    let child = BackgroundContext(parent: parent, name: "child")
    await child.perform { context in context.insert(Author.self).name = "Woolf" }
    let changes = try await child.save()
    #expect(changes.inserted.count == 1)
    #expect(changes.inserted.first?.isTemporary == true)
    #expect(try stored().isEmpty)
    let names = try await parent.perform { (context) throws(StoreError) in
      try context.fetch(FetchRequest(Author.self)).map(\.name)
    }
    #expect(names == ["Woolf"])
    try await parent.save()
    #expect(try stored() == ["Woolf"])
  }

  @Test func `an object fetched before a child saves it becomes the child's new object`()
    async throws
  {
    let middle = BackgroundContext(parent: parent, name: "middle")
    let child = BackgroundContext(parent: middle, name: "child")
    let id = await child.perform { $0.insert(Author.self).id }
    let held = HeldObjects()
    await middle.perform { context in held[0] = context.object(Author.self, with: id) }
    try await child.perform { (context) throws(StoreError) in
      context.object(Author.self, with: id)?.name = "Woolf"
      try context.save()
    }
    await middle.perform { context in
      let early = held[0] as? Author
      #expect(early?.name == "Woolf" && early?.isInserted == true && early?.isGone == false)
      #expect(context.object(Author.self, with: id) === early)
      early?.city = "London"
    }
    try await middle.save()
    try await parent.save()
    #expect(try stored() == ["Woolf"])
    let saved = try store.context().fetch(FetchRequest(Author.self))
    #expect(saved.map(\.city) == ["London"])
  }

  @Test func `a child sees the unsaved changes of its parent`() async throws {
    let id = try store.add("Woolf", city: "London")
    try store.add("Joyce", city: "Dublin")
    try await parent.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).city = "Rodmell"
      context.insert(Author.self).name = "Proust"
    }
    let child = BackgroundContext(parent: parent, name: "child")
    let cities = try await child.perform { (context) throws(StoreError) in
      try context.fetch(FetchRequest(Author.self, sortedBy: [.ascending(\.name)])).map { $0.city ?? "-" }
    }
    #expect(cities == ["Dublin", "-", "Rodmell"])
  }

  @Test func `an object edited in a grandchild is found once after the saves of its parents`() throws {
    let child = BackgroundContext(parent: parent, name: "child")
    let grandchild = BackgroundContext(parent: child, name: "grandchild")
    let id = child.performAndWait { context in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      return author.id
    }
    // The saves end within one block, so that the grandchild learns the permanent ID with its fetch.
    let found = try grandchild.performAndWait { context in
      context.object(Author.self, with: id)?.name = "Woolf, Virginia"
      try child.performAndWait { (context) throws(StoreError) in _ = try context.save() }
      try parent.performAndWait { (context) throws(StoreError) in _ = try context.save() }
      let named = try context.fetch(FetchRequest(Author.self, where: .hasPrefix(\Author.name, "Woolf")))
      let byID = try context.fetch(FetchRequest(Author.self, where: .ids([id])))
      return named.first === byID.first ? named.map(\.name) + byID.map(\.name) : []
    }
    #expect(found == ["Woolf, Virginia", "Woolf, Virginia"])
  }

  @Test func `an object is found once if its parent saves between the answer and the adoption of IDs`() throws
  {
    let saving = SavingParent(parent)
    let child = ManagedObjectContext(parent: saving)
    let id = parent.performAndWait { context in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      return author.id
    }
    child.object(Author.self, with: id)?.city = "London"
    saving.savesAfterAnswer = true
    let found = try child.fetch(FetchRequest(Author.self))
    #expect(found.map(\.city) == ["London"] && found.allSatisfy { !$0.id.isTemporary })
    #expect(child.object(Author.self, with: id) === found.first)
  }

  @Test func `temporary IDs become permanent in every context`() async throws {
    let child = BackgroundContext(parent: parent, name: "child")
    let grandchild = BackgroundContext(parent: child, name: "grandchild")
    let temporary = await grandchild.perform { context in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      let book = context.insert(Book.self)
      (book.title, book.author) = ("Orlando", author)
      return author.id
    }
    try await grandchild.save()
    try await child.save()
    let changes = try await parent.save()
    let permanent = try #require(changes.permanentIDs[temporary])
    for context in [parent, child, grandchild] {
      let found = await context.perform { context in
        let author = context.object(Author.self, with: temporary)
        return (author?.id, author?.books.first?.id(Book.schema.author), author?.isInserted)
      }
      #expect(found.0 == permanent)
      #expect(found.1 == permanent)
      #expect(found.2 == false)
    }
  }

  @Test func `edits and deletions of a child reach the store through any number of parents`() async throws {
    let id = try store.add("Woolf", books: ["Orlando"])
    let other = try store.add("Joyce", books: ["Ulysses"])
    let child = BackgroundContext(parent: parent, name: "child")
    let grandchild = BackgroundContext(parent: child, name: "grandchild")
    try await grandchild.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).name = "Virginia Woolf"
      context.delete(try context.existingObject(Author.self, with: other))
    }
    for context in [grandchild, child, parent] { try await context.save() }
    #expect(try stored() == ["Virginia Woolf"])
    #expect(try store.context().count(FetchRequest(Book.self)) == 1)
  }

  @Test func `an object saved only to the parent can be edited and saved again`() async throws {
    let child = BackgroundContext(parent: parent, name: "child")
    await child.perform { context in context.insert(Author.self).name = "Woolf" }
    try await child.save()
    let edit: @Sendable (ManagedObjectContext) throws(StoreError) -> Void = { (context) throws(StoreError) in
      let author = try context.fetch(FetchRequest(Author.self)).first
      author?.name += "!"
    }
    try await child.perform(edit)
    try await child.save()
    try await parent.save()
    try await child.perform(edit)
    try await child.save()
    try await parent.save()
    #expect(try stored() == ["Woolf!!"])
  }

  @Test func `an edit of an object that the parent deleted is a conflict, and is kept`() async throws {
    let id = try store.add("Woolf")
    let child = BackgroundContext(parent: parent, name: "child")
    try await child.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).city = "London"
    }
    try await parent.perform { (context) throws(StoreError) in
      context.delete(try context.existingObject(Author.self, with: id))
    }
    await #expect {
      try await child.save()
    } throws: { error in
      guard case .conflict(let conflicts) = error as? StoreError else { return false }
      return conflicts.map(\.object) == [id] && conflicts[0].kind == .deleted
    }
    #expect(await child.perform { $0.hasChanges })
  }

  @Test func `a context can merge a sibling's save to their parent`() async throws {
    let id = try store.add("Woolf")
    let merging = BackgroundContext(parent: parent, name: "merging", mergesChanges: true)
    try await merging.perform { (context) throws(StoreError) in
      _ = try context.existingObject(Author.self, with: id)
    }
    let sibling = BackgroundContext(parent: parent, name: "sibling")
    try await sibling.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).city = "London"
    }
    try await sibling.save()
    let city = try await merging.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).city
    }
    #expect(city == "London")
  }

  @Test func `a script can wait for a context from any thread, including the context's own`() throws {
    let child = BackgroundContext(parent: parent, name: "child")
    let name = child.performAndWait { context in
      context.insert(Author.self).name = "Woolf"
      return child.performAndWait { $0.insertedObjects.count }
    }
    #expect(name == 1)
    let changes = try child.performAndWait { (context) throws(StoreError) in try context.save() }
    #expect(changes.inserted.count == 1)
    #expect(throws: StoreError.self) {
      try child.performAndWait { (_) throws(StoreError) in throw StoreError.busy }
    }
  }

  @MainActor
  @Test func `the main context can be a parent, and a background context its writer`() async throws {
    let writer = BackgroundContext(parent: store.coordinator, name: "writer")
    let main = MainContext(parent: writer)
    let worker = BackgroundContext(parent: main, name: "worker")
    await worker.perform { context in context.insert(Author.self).name = "Woolf" }
    try await worker.save()
    #expect(try main.context.fetch(FetchRequest(Author.self)).map(\.name) == ["Woolf"])
    try await main.save()
    #expect(try stored().isEmpty)
    try await writer.save()
    #expect(try stored() == ["Woolf"])
  }

  @Test func `batches of a child are written by the root's save`() async throws {
    let author = try store.add("Woolf")
    let child = BackgroundContext(parent: parent, name: "child")
    await child.perform { $0.insert(.books([("Orlando", 1), ("Flush", 2)], by: author)) }
    try await child.save()
    let changes = try await parent.save()
    #expect(changes.inserted.count == 2)
  }
}

/// A parent that saves after it has answered, if it is told to.
private final class SavingParent: ContextOwner, @unchecked Sendable {
  // Only one test accesses it, on one thread.
  var savesAfterAnswer = false
  private let parent: BackgroundContext

  init(_ parent: BackgroundContext) { self.parent = parent }

  var model: ManagedObjectModel { parent.model }
  var writtenStoreNumber: StoreNumber { parent.writtenStoreNumber }
  var notices: ChangeNotifier { parent.notices }

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let rows = try parent.fetch(query)
    if savesAfterAnswer {
      try parent.performAndWait { (context) throws(StoreError) in _ = try context.save() }
    }
    return rows
  }

  func count(_ query: StoreQuery) throws(StoreError) -> Int { try parent.count(query) }

  func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket {
    parent.accept(changes, after: prerequisite)
  }
}
