import ManagedContextTesting
import TestSupport
import Testing

@testable import ManagedContext

@Suite struct FaultTests {
  private let store: LibraryStore
  private let context: ManagedObjectContext

  init() throws {
    store = try LibraryStore(.sqlite)
    context = store.context()
  }

  private func addAuthors(_ count: Int) throws {
    let context = store.context()
    for number in 0..<count { context.insert(Author.self).name = "Author \(number)" }
    try context.save()
  }

  @Test func `a fault is read only once`() throws {
    let id = try store.add("Woolf", city: "London")
    let author = try #require(context.object(Author.self, with: id))
    #expect(author.isFault && store.store.readCount() == 0)
    #expect([author.name, author.city, author.name] == ["Woolf", "London", "Woolf"])
    #expect(!author.isFault && store.store.readCount() == 1)
  }

  @Test func `faults of a fetch with a batch size are read a page at a time`() throws {
    try addAuthors(25)
    let authors = try context.fetch(FetchRequest(Author.self, batchSize: 10))
    #expect(authors.allSatisfy(\.isFault) && store.store.readCount() == 1)
    #expect(authors[12].name == "Author 12")
    #expect(authors.map(\.isFault) == (0..<25).map { !(10..<20).contains($0) })
    for author in authors { _ = author.name }
    #expect(store.store.readCount() == 4)
  }

  @Test func `objects that are named together are read together, a page at a time`() throws {
    try addAuthors(25)
    let ids = try context.fetchIDs(FetchRequest(Author.self))
    let asked = store.store.readCount()
    let authors = context.objects(Author.self, with: ids, batchSize: 10)
    #expect(authors.map(\.id) == ids && authors.allSatisfy(\.isFault) && store.store.readCount() == asked)
    _ = authors[12].name
    #expect(authors.map(\.isFault) == (0..<25).map { !(10..<20).contains($0) })
    for author in authors { _ = author.name }
    #expect(store.store.readCount() == asked + 3)
  }

  @Test func `a fault whose row is gone has its last known values, or the defaults`() throws {
    let id = try store.add("Woolf", city: "London")
    let author = try context.existingObject(Author.self, with: id)
    let unread = store.context()
    let fault = try #require(unread.object(Author.self, with: id))
    let other = store.context()
    other.delete(try other.existingObject(Author.self, with: id))
    try other.save()
    context.refresh(author, mergeChanges: false)
    #expect(author.isFault)
    #expect(author.name == "Woolf" && author.isGone)
    #expect(fault.name == "" && fault.city == nil && fault.isGone)
    #expect(throws: StoreError.notFound(id)) { _ = try context.existingObject(Author.self, with: id) }
    #expect(throws: StoreError.notFound(id)) { _ = try store.context().existingObject(Author.self, with: id) }
  }

  @Test func `refreshing discards edits or keeps them, depending on its argument`() throws {
    let id = try store.add("Woolf", city: "London")
    let author = try context.existingObject(Author.self, with: id)
    let other = store.context()
    try other.existingObject(Author.self, with: id).name = "Virginia"
    try other.save()
    author.city = "Sussex"
    context.refresh(author, mergeChanges: true)
    #expect([author.name, author.city] == ["Virginia", "Sussex"] && context.hasChanges)
    context.refresh(author, mergeChanges: false)
    #expect([author.name, author.city] == ["Virginia", "London"] && !context.hasChanges)
  }

  @Test func `refreshing all objects reads them again and keeps unsaved edits`() throws {
    let ids = try ["a", "b"].map { try store.add($0) }
    let authors = try ids.map { try context.existingObject(Author.self, with: $0) }
    authors[0].city = "unsaved"
    let other = store.context()
    for id in ids { try other.existingObject(Author.self, with: id).name += "!" }
    try other.save()
    context.refreshAllObjects()
    #expect(authors.map(\.name) == ["a!", "b!"])
    #expect(authors[0].city == "unsaved")
  }

  @Test func `a fault may fire with values no older than the staleness interval`() throws {
    let id = try store.add("Woolf")
    let now = Clock()
    context.stalenessInterval = 60
    context.clock = { now.seconds }
    let author = try context.existingObject(Author.self, with: id)
    let asked = store.store.readCount()
    now.seconds = 59
    context.refresh(author, mergeChanges: false)
    #expect(author.name == "Woolf" && store.store.readCount() == asked)
    now.seconds = 121
    context.refresh(author, mergeChanges: false)
    #expect(author.name == "Woolf" && store.store.readCount() == asked + 1)
  }

  @Test func `a merge makes earlier values stale regardless of the interval`() throws {
    let id = try store.add("Woolf")
    context.stalenessInterval = 3600
    let author = try context.existingObject(Author.self, with: id)
    context.refresh(author, mergeChanges: false)
    let other = store.context()
    try other.existingObject(Author.self, with: id).name = "Virginia"
    try context.mergeChanges(from: try other.save())
    #expect(author.name == "Virginia")
  }

  @Test func `a fault that cannot be read reports the reason and is read later`() throws {
    let id = try store.add("Woolf")
    let author = try #require(context.object(Author.self, with: id))
    store.store.refuse { _ in .busy }
    #expect(author.name == "")
    #expect(context.faultError == .busy && author.isFault && !author.isGone)
    store.store.refuse(nil)
    #expect(author.name == "Woolf")
    #expect(context.faultError == nil)
  }

  @Test func `changes that may follow from an unreadable row or relationship are refused once`() throws {
    let id = try store.add("Woolf", books: ["Orlando"])
    for reads in [{ $0.name.isEmpty }, { $0.books.isEmpty }] as [(Author) -> Bool] {
      let author = try #require(context.object(Author.self, with: id))
      store.store.refuse { _ in .busy }
      #expect(reads(author))
      store.store.refuse(nil)
      context.delete(author)
      #expect(throws: StoreError.busy) { try context.save() }
      #expect(context.hasChanges)
      context.rollback()
      context.refreshAllObjects()
      #expect(!reads(author))
    }
    context.insert(Author.self).name = "Joyce"
    try context.save()
  }

  @Test func `an edit of an unreadable fault is not lost silently`() throws {
    let id = try store.add("Woolf")
    let author = try #require(context.object(Author.self, with: id))
    store.store.refuse { _ in .busy }
    author.city = "London"
    store.store.refuse(nil)
    #expect(throws: StoreError.self) { try context.save() }
    author.city = "London"
    try context.save()
    #expect(try store.context().existingObject(Author.self, with: id).city == "London")
  }
}

/// A clock that the test sets.
private final class Clock {
  var seconds = 1.0
}
