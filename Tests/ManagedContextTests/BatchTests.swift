import ManagedContext
import TestSupport
import Testing

@Suite struct BatchTests {
  private func titles(_ store: LibraryStore) throws -> [String] {
    try store.context().fetchValues(FetchRequest(Book.self), \.title)
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch update changes what matches, and tells whom and what`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush", "The Waves"])
    let reader = store.context()
    let books = try reader.existingObject(Author.self, with: id).books
    #expect(books.map(\.title) == ["Orlando", "Flush", "The Waves"])
    let context = store.context()
    try context.updateAll(Book.self, where: \.mark >= 2, set: .set(\.pages, to: 90), .set(\.mark, to: 9))
    #expect(context.hasChanges)
    let changes = try context.save()
    #expect(Set(changes.updated.keys) == Set(books.dropFirst().map(\.id)))
    #expect(changes.updated.values.allSatisfy { $0.contains(Book.Key.pages) && !$0.contains(Book.Key.title) })
    #expect(books.map(\.pages) == [nil, nil, nil])
    try reader.mergeChanges(from: changes)
    #expect(books.map(\.pages) == [nil, 90, 90])
    #expect(books.map(\.mark) == [1, 9, 9])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch deletion deletes what matches, and tells whom`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush", "The Waves"])
    let reader = store.context()
    let books = try reader.existingObject(Author.self, with: id).books
    #expect(books.map(\.title) == ["Orlando", "Flush", "The Waves"])
    let context = store.context()
    try context.deleteAll(Book.self, where: .hasPrefix(\.title, "The "))
    let changes = try context.save()
    #expect(changes.deleted == [books[2].id])
    try reader.mergeChanges(from: changes)
    #expect(books[2].isGone && books[2].title == "The Waves")
    #expect(try titles(store) == ["Orlando", "Flush"])
  }

  @Test(arguments: StoreKind.allCases)
  func `the pairs of an object that a batch deletes go with it`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando", "Flush"])
    let reader = store.context()
    let books = try reader.fetch(FetchRequest(Book.self, sortedBy: [.ascending(\.title)]))
    let tag = reader.insert(Tag.self)
    (tag.name, tag.books) = ("novel", books)
    try reader.save()
    let context = store.context()
    try context.deleteAll(Book.self, where: \.title == "Flush")
    try reader.mergeChanges(from: try context.save())
    #expect(tag.books.map(\.title) == ["Orlando"])
    let later = store.context()
    #expect(try later.fetch(FetchRequest(Tag.self)).map { $0.books.count } == [1])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch deletion that would leave a reference to nowhere changes nothing`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    try context.deleteAll(Author.self)
    #expect {
      try context.save()
    } throws: { error in
      guard case .validation(let error) = error as? StoreError else { return false }
      return error.entity == "book" && error.attribute == "author_id" && error.cause == .brokenRelationship
    }
    #expect(try store.context().count(FetchRequest(Author.self)) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `rows are inserted by key paths, and nil is no value`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let author = try store.add("Woolf")
    let context = store.context()
    var rows = try ObjectRows(Author.self, in: context.model, \.name, \.city)
    rows.append("Joyce", "Dublin")
    rows.append("Proust", nil)
    context.insert(BatchUpsert(rows.batch))
    context.insert(.books([("Orlando", 1)], by: author))
    #expect(try context.save().inserted.count == 3)
    let cities = try store.context().fetchValues(FetchRequest(Author.self), \.city)
    #expect(cities == [nil, "Dublin", nil])
    let pages = try store.context().fetchValues(FetchRequest(Book.self), \.pages)
    #expect(pages == [Int?.none])
  }

  @Test(arguments: StoreKind.allCases)
  func `an upsert by a uniqueness constraint inserts and updates`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf", city: "London")
    let context = store.context()
    var rows = try ObjectRows(Author.self, in: context.model, \.name, \.city)
    rows.append("Woolf", "Rodmell")
    rows.append("Joyce", "Dublin")
    context.insert(BatchUpsert(rows.batch, unique: [Author.Key.name.index]))
    let changes = try context.save()
    #expect(changes.inserted.count == 1 && Set(changes.updated.keys) == [woolf])
    let cities = try store.context().fetchValues(FetchRequest(Author.self), \.city)
    #expect(cities == ["Rodmell", "Dublin"])
  }

  @Test func `batches are noted in the history like saves of objects`() throws {
    let store = try LibraryStore(.sqlite)
    let id = try store.add("Woolf", books: ["Orlando"])
    let token = try store.coordinator.currentHistoryToken()
    let context = store.context()
    context.transactionAuthor = "batches"
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    try context.deleteAll(Book.self)
    let changes = try context.save()
    let history = try store.coordinator.history(after: token)
    #expect(history.map(\.author) == ["batches"])
    #expect(history.first?.changes.deleted == changes.deleted)
    #expect(history.first?.changes.updated[id]?.contains(Author.Key.city) == true)
  }

  @Test func `batches are undone by a rollback, and kept by a failed save`() throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf")
    let context = store.context()
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    context.rollback()
    #expect(!context.hasChanges)
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    let stray = context.insert(Author.self)
    #expect(throws: StoreError.self) { try context.save() }
    stray.name = "Joyce"
    #expect(try context.save().updated.count == 1)
  }
}
