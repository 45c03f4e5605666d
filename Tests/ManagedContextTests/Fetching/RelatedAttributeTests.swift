import ManagedContext
import TestSupport
import Testing

/// Sorting and conditions by an attribute of the object that a to-one relationship leads to.
@Suite struct RelatedAttributeTests {
  /// Books whose authors' names and cities are in another order than their ages.
  private static func library(_ kind: StoreKind) throws -> (LibraryStore, ManagedObjectContext) {
    let store = try LibraryStore(kind)
    try store.add("Woolf", city: "London", books: ["Orlando", "Flush"])
    try store.add("Austen", books: ["Emma"])
    try store.add("Joyce", city: "Dublin", books: ["Ulysses"])
    return (store, store.context())
  }

  private static func titles(
    _ context: ManagedObjectContext, _ sort: [FetchSort<Book>], where predicate: FetchPredicate<Book>? = nil,
    offset: Int = 0, limit: Int? = nil
  ) throws -> [String] {
    try context.fetch(
      FetchRequest(Book.self, where: predicate, sortedBy: sort, offset: offset, limit: limit)
    ).map(\.title)
  }

  @Test(arguments: StoreKind.allCases)
  func `books are sorted by their authors' names`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    #expect(
      try Self.titles(context, [.ascending(\.author!.name), .ascending(\.title)])
        == ["Emma", "Ulysses", "Flush", "Orlando"])
    #expect(
      try Self.titles(context, [.descending(\.author, \.name)]) == ["Orlando", "Flush", "Ulysses", "Emma"])
    #expect(
      try Self.titles(context, [.ascending(\.author!.city)]) == ["Emma", "Ulysses", "Orlando", "Flush"])
    #expect(
      try Self.titles(context, [.ascending(\.author!.name)], offset: 1, limit: 2) == ["Ulysses", "Orlando"])
    let first = FetchRequest(Book.self, sortedBy: [.ascending(\.author!.name)], limit: 3)
    #expect(try context.count(first) == 3)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `an author's new name moves the books before it is saved`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let authors = try context.fetch(FetchRequest(Author.self, sortedBy: [.oldestFirst]))
    authors[1].name = "Zola"
    let book = context.insert(Book.self)
    (book.title, book.author) = ("Finnegans Wake", authors[2])
    let sort: [FetchSort<Book>] = [.ascending(\.author!.name), .descending(\.title)]
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(
        try Self.titles(context, sort) == ["Ulysses", "Finnegans Wake", "Orlando", "Flush", "Emma"])
      #expect(try Self.titles(context, sort, offset: 3, limit: 1) == ["Flush"])
      #expect(
        try context.fetchValues(FetchRequest(Book.self, sortedBy: sort, limit: 1), \.title) == ["Ulysses"])
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a path through a relationship is also a condition`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    func titles(_ predicate: FetchPredicate<Book>) throws -> [String] {
      try Self.titles(context, [.ascending(\.title)], where: predicate)
    }
    #expect(try titles(\.author!.name == "Woolf") == ["Flush", "Orlando"])
    #expect(try titles(\.author!.city == nil) == ["Emma"])
    #expect(try titles(\.author!.city != "London") == ["Emma", "Ulysses"])
    #expect(try titles(\.author!.city < "F") == ["Ulysses"])
    #expect(try titles(.among(\.author!.city, ["Dublin", nil])) == ["Emma", "Ulysses"])
    #expect(try titles(.hasSuffix(\.author!.name, "OOLF", .caseInsensitive)) == ["Flush", "Orlando"])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `values of related objects are fetched with the object's own`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let request = FetchRequest(Book.self, sortedBy: [.ascending(\.title)])
    #expect(try context.fetchValues(request, \.author!.city) == [nil, "London", "London", "Dublin"])
    try context.fetch(FetchRequest(Author.self, where: \.name == "Austen")).first?.city = "Bath"
    let values = try context.fetchValues(request, \.title, \.author!.city, \.mark)
    #expect(values.map(\.0) == ["Emma", "Flush", "Orlando", "Ulysses"])
    #expect(values.map(\.1) == ["Bath", "London", "London", "Dublin"])
    #expect(values.map(\.2) == [1, 2, 1, 1])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a row whose relationship leads to nothing has no value there`(kind: StoreKind) throws {
    let (coordinator, place) = try Grove.coordinator(kind)
    let context = ManagedObjectContext(parent: coordinator)
    for (label, rank) in [("high", 2), ("none", nil), ("low", 1)] as [(String, Int?)] {
      let item = context.insert(Item.self)
      item[Item.Key.label] = label
      guard let rank else { continue }
      let owner = context.insert(Owner.self)
      (owner[Owner.Key.name], owner[Owner.Key.rank], item[Item.Key.boss]) = (label, rank, owner)
    }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      func labels(_ request: FetchRequest<Item>) throws -> [String] {
        try context.fetchValues(request, \.label)
      }
      #expect(
        try labels(FetchRequest(Item.self, sortedBy: [.ascending(\.boss!.rank)])) == ["none", "low", "high"])
      #expect(
        try labels(FetchRequest(Item.self, sortedBy: [.descending(\.boss!.rank)])) == ["high", "low", "none"])
      #expect(
        try labels(FetchRequest(Item.self, where: \.boss!.rank != 1, sortedBy: [.ascending(\.label)]))
          == ["high", "none"])
      #expect(try labels(FetchRequest(Item.self, where: \.boss!.rank == nil)) == ["none"])
    }
    withExtendedLifetime(place) {}
  }

  @Test(arguments: [false, true])
  func `books of several stores are sorted together by their authors' names`(isUnsaved: Bool) throws {
    let (own, other) = (try LibraryStore(.sqlite), try LibraryStore(.memory))
    try own.add("Woolf", books: ["Orlando"])
    try other.add("Austen", books: ["Emma"])
    try other.add("Zola", books: ["Nana"])
    let coordinator = PersistentStoreCoordinator(model: Library.model)
    try coordinator.addPersistentStore(try #require(own.coordinator.writtenStore))
    coordinator.addReadOnlyStore(try #require(other.coordinator.writtenStore))
    let context = ManagedObjectContext(parent: coordinator)
    if isUnsaved {
      try context.fetch(FetchRequest(Author.self, where: \.name == "Woolf")).first?.name = "Aab"
    }
    let all = try Self.titles(context, [.ascending(\.author!.name)])
    #expect(all == (isUnsaved ? ["Orlando", "Emma", "Nana"] : ["Emma", "Orlando", "Nana"]))
    #expect(try Self.titles(context, [.descending(\.author!.name)], offset: 1, limit: 1) == [all[1]])
  }

  @Test func `a computed property is not an attribute, even if it reads one`() throws {
    let store = try LibraryStore(.memory)
    let context = store.context()
    for sort in [FetchSort.ascending(\Book.byline), .ascending(\Book.author!.initial)] {
      #expect(throws: StoreError.self) { try context.fetch(FetchRequest(Book.self, sortedBy: [sort])) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an entity may be named like a part of our SQL, and lead to itself`(kind: StoreKind) throws {
    let (store, place) = try kind.makeStore(Other.model)
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Other.model, store: store))
    var last: Other?
    for name in ["C", "A", "B"] {
      let other = context.insert(Other.self)
      (other.name, other.parent) = (name, last)
      last = other
    }
    try context.save()
    let sorted = FetchRequest(Other.self, sortedBy: [.descending(\.parent!.name)])
    #expect(try context.fetch(sorted).map(\.name) == ["A", "B", "C"])
    #expect(try context.fetchValues(FetchRequest(Other.self), distinct: \.parent!.name) == ["", "A", "C"])
    let leaves = FetchRequest(Other.self, where: .count(\.children) == 0)
    #expect(try context.fetch(leaves).map(\.name) == ["B"])
    withExtendedLifetime(place) {}
  }

  @MainActor
  @Test(arguments: StoreKind.allCases)
  func `sections follow the names of the authors`(kind: StoreKind) throws {
    let (store, _) = try Self.library(kind)
    let main = MainContext(parent: store.coordinator)
    let controller = FetchedResultsController(
      main, FetchRequest(Book.self, sortedBy: [.ascending(\.title)]), sectionedBy: \.author!.name)
    try controller.performFetch()
    #expect(controller.sections.map(\.name) == ["Austen", "Joyce", "Woolf"])
    #expect(
      controller.sections.map { $0.objects.map(\.title) } == [["Emma"], ["Ulysses"], ["Flush", "Orlando"]])
    let austen = try #require(
      try main.context.fetch(FetchRequest(Author.self, where: \.name == "Austen")).first)
    austen.name = "Zola"
    try controller.processPendingChanges()
    #expect(controller.sections.map(\.name) == ["Joyce", "Woolf", "Zola"])
    controller.sections[1].objects.first?.author = austen
    try controller.processPendingChanges()
    #expect(
      controller.sections.map { $0.objects.map(\.title) } == [["Ulysses"], ["Orlando"], ["Emma", "Flush"]])
  }
}

private final class Other: ManagedObject, Entity {
  override class var entityName: String { "other" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let parent = ToOne<Other>("parent", inverse: \.children)
    let children = ToMany<Other>("children")
  }

  static let entity = EntityDeclaration(Other.self, Schema())
  static let model = ManagedObjectModel(version: 1, entities: [Other.self])
}

extension Book {
  fileprivate var byline: String { self.author?.name ?? "anonymous" }
}

extension Author {
  fileprivate var initial: String {
    get { String(self.name.prefix(1)) }
    set { self.name = newValue }
  }
}
