import ManagedContext
import ManagedContextTesting
import TestSupport
import Testing

/// Orders by the number of related objects, and orders of groups.
@Suite struct OrderTests {
  /// Saves three authors with two, none and three books; two books of the last one have a tag.
  private func library(_ kind: StoreKind) throws -> LibraryStore {
    let library = try LibraryStore(kind)
    try library.add("Austen", books: ["Emma", "Persuasion"])
    try library.add("Sappho")
    try library.add("Woolf", city: "London", books: ["Flush", "Orlando", "The Waves"])
    let context = library.context()
    for (name, titles) in [("short", ["Flush"]), ("novel", ["Flush", "Orlando", "Emma"])] {
      let tag = context.insert(Tag.self)
      (tag.name, tag.books) = (
        name, try context.fetch(FetchRequest(Book.self, where: .among(\.title, titles)))
      )
    }
    try context.save()
    return library
  }

  private func names(
    _ context: ManagedObjectContext, _ sort: FetchSort<Author>, offset: Int = 0, limit: Int? = nil
  ) throws -> [String] {
    try context.fetch(FetchRequest(Author.self, sortedBy: [sort], offset: offset, limit: limit)).map(\.name)
  }

  @Test(arguments: StoreKind.allCases)
  func `objects are sorted by the number of related objects`(kind: StoreKind) throws {
    let library = try library(kind)
    let context = library.context()
    #expect(try names(context, .descending(.count(\.books))) == ["Woolf", "Austen", "Sappho"])
    #expect(try names(context, .ascending(.count(\.books))) == ["Sappho", "Austen", "Woolf"])
    #expect(try names(context, .descending(.count(\.books)), offset: 1, limit: 1) == ["Austen"])
    #expect(
      try names(context, .descending(.count(\.books, where: \.title < "F"))) == [
        "Austen", "Sappho", "Woolf",
      ],
      "objects with the same number are in the order of their age")
    #expect(
      try names(context, .descending(.count(\.books, where: .to(some: \.tags, where: \.name == "short"))))
        == ["Woolf", "Austen", "Sappho"])
    let books = FetchRequest(Book.self, sortedBy: [.descending(.count(\.tags)), .descending(\.title)])
    #expect(
      try context.fetchValues(books, \.title) == ["Flush", "Orlando", "Emma", "The Waves", "Persuasion"])
  }

  @Test(arguments: StoreKind.allCases)
  func `unsaved relationships count in the order`(kind: StoreKind) throws {
    let library = try library(kind)
    let context = library.context()
    let sappho = try #require(try context.fetch(FetchRequest(Author.self, where: \.name == "Sappho")).first)
    for book in try context.fetch(FetchRequest(Book.self, where: .to(\.author, where: \.name == "Woolf"))) {
      book.author = sappho
    }
    #expect(try names(context, .descending(.count(\.books))) == ["Sappho", "Austen", "Woolf"])
    let persuasion = try #require(
      try context.fetch(FetchRequest(Book.self, where: \.title == "Persuasion")).first)
    persuasion.tags = try context.fetch(FetchRequest(Tag.self)) + [context.insert(Tag.self)]
    let books = FetchRequest(Book.self, sortedBy: [.descending(.count(\.tags))], limit: 1)
    #expect(try context.fetchValues(books, \.title) == ["Persuasion"])
  }

  @Test(arguments: StoreKind.allCases)
  func `objects of several stores are sorted by their number of related objects`(kind: StoreKind) throws {
    let (library, other) = (try library(kind), try LibraryStore(kind))
    try other.add("Joyce", books: ["Ulysses", "Dubliners", "Exiles", "Pomes"])
    try other.add("Anon")
    library.coordinator.addReadOnlyStore(try #require(other.coordinator.writtenStore))
    #expect(
      try names(library.context(), .descending(.count(\.books)), limit: 3) == ["Joyce", "Woolf", "Austen"])
  }

  @Test(arguments: StoreKind.allCases)
  func `objects of an entity that leads to itself are sorted by number`(kind: StoreKind) throws {
    let (store, place) = try kind.makeStore(Branch.model)
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Branch.model, store: store))
    let branches = ["a", "b", "c", "d"].map { name in
      let branch = context.insert(Branch.self)
      branch.name = name
      return branch
    }
    (branches[0].parent, branches[2].parent, branches[3].parent) = (branches[1], branches[1], branches[2])
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let request = FetchRequest(Branch.self, sortedBy: [.descending(.count(\.children))])
      #expect(try context.fetchValues(request, \.name) == ["b", "c", "a", "d"])
      let few = FetchRequest(
        Branch.self,
        sortedBy: [.descending(.count(\.children, where: .none(\.children, where: \.name == "d")))])
      #expect(try context.fetchValues(few, \.name) == ["b", "c", "a", "d"])
    }
    withExtendedLifetime(place) {}
  }

  @MainActor
  @Test func `a controller follows an order by number`() throws {
    let library = try library(.memory)
    let main = MainContext(parent: library.coordinator)
    let controller = FetchedResultsController(
      main, FetchRequest(Author.self, sortedBy: [.descending(.count(\.books))]))
    try controller.performFetch()
    #expect(controller.fetchedObjects.map(\.name) == ["Woolf", "Austen", "Sappho"])
    let sappho = controller.fetchedObjects.last
    for title in ["Poem 1", "Poem 2", "Poem 3", "Poem 4"] {
      let book = main.context.insert(Book.self)
      (book.title, book.author) = (title, sappho)
    }
    try controller.processPendingChanges()
    #expect(controller.fetchedObjects.map(\.name) == ["Sappho", "Woolf", "Austen"])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `groups are sorted by their values, and limited`(kind: StoreKind, isUnsaved: Bool) throws {
    let library = try library(kind)
    let context = library.context()
    for (number, book) in try context.fetch(FetchRequest(Book.self)).enumerated() {
      book.pages = number % 2 == 0 ? 100 + number : nil
    }
    if !isUnsaved { try context.save() }
    let byCount = try context.aggregate(
      Book.self, by: \.author!.name, sortedBy: [.descending(.count)], .count)
    #expect(byCount.map(\.0) == ["Woolf", "Austen"] && byCount.map(\.1) == [3, 2])
    let few = try context.aggregate(
      Book.self, by: \.title, sortedBy: [.descending(.maximum(\.pages))], limit: 2, .sum(\.pages))
    #expect(few.map(\.0) == ["The Waves", "Flush"] && few.map(\.1) == [104, 102])
    let ties = try context.aggregate(
      Book.self, by: \.title, having: .average(\.pages) == nil,
      sortedBy: [.ascending(.count), .descending(.count(\.pages))],
      limit: 1)
    #expect(ties == ["Orlando"], "groups with equal values are in the order of their keys")
    #expect(try context.aggregate(Book.self, by: \.title, limit: 0, .count).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `values are those of the objects, whatever has to be merged`(kind: StoreKind) throws {
    let library = try library(kind)
    func check(_ context: ManagedObjectContext, _ titles: [String]) throws {
      let request = FetchRequest(Book.self, sortedBy: [.ascending(\.title)], offset: 1, limit: 3)
      #expect(try context.fetchValues(request, \.title) == titles)
      let pairs = try context.fetchValues(request, \.title, \.author!.name)
      #expect(pairs.map(\.0) == titles)
      let authors = try context.fetch(request).map { $0.author?.name }
      #expect(pairs.map(\.1) == authors)
    }
    let context = library.context()
    try check(context, ["Flush", "Orlando", "Persuasion"])
    let author = try context.fetch(FetchRequest(Author.self)).first
    let book = context.insert(Book.self)
    (book.title, book.author) = ("Evelina", author)
    try check(context, ["Evelina", "Flush", "Orlando"])
    let other = try LibraryStore(kind)
    try other.add("Joyce", books: ["Exiles"])
    library.coordinator.addReadOnlyStore(try #require(other.coordinator.writtenStore))
    try check(library.context(), ["Exiles", "Flush", "Orlando"])
    try check(context, ["Evelina", "Exiles", "Flush"])
  }

  @Test func `a batch sets a relationship to an object, or to nothing`() throws {
    let library = try library(.sqlite)
    let context = library.context()
    let sappho = try #require(try context.fetch(FetchRequest(Author.self, where: \.name == "Sappho")).first)
    try context.updateAll(Book.self, set: .set(\.author, to: sappho))
    try context.save()
    #expect(try context.count(FetchRequest(Book.self, where: \.author == sappho)) == 5)
    #expect(throws: StoreError.self, "the relationship is required") {
      try context.updateAll(Book.self, set: .set(\.author, to: nil))
    }
  }
}

private final class Branch: ManagedObject, Entity {
  override class var entityName: String { "branch" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let parent = ToOne<Branch>("parent_id", inverse: \.children)
    let children = ToMany<Branch>("children")
  }

  static let entity = EntityDeclaration(Branch.self, Schema())
  static let model = ManagedObjectModel(version: 1, entities: [Branch.self])
}
