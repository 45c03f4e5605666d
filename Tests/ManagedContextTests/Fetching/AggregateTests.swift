import Foundation
import ManagedContext
import TestSupport
import Testing

@Suite struct AggregateTests {
  /// Two authors with books, one of which has no number of pages.
  private static func library(_ kind: StoreKind) throws -> (LibraryStore, ManagedObjectContext) {
    let store = try LibraryStore(kind)
    let context = store.context()
    for (name, city, pages) in [
      ("Woolf", "London", [300, 150, nil]), ("Austen", nil, [400]), ("Orwell", "London", [100, 200]),
      ("Nobody", "Paris", []),
    ] as [(String, String?, [Int?])] {
      let author = context.insert(Author.self)
      (author.name, author.city) = (name, city)
      for (place, count) in pages.enumerated() {
        let book = context.insert(Book.self)
        (book.title, book.pages, book.mark, book.author) = ("\(name) \(place)", count, place, author)
      }
    }
    try context.save()
    return (store, context)
  }

  @Test(arguments: StoreKind.allCases)
  func `books are counted and averaged for each author`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let authors = try context.fetchIDs(FetchRequest(Author.self, sortedBy: [.oldestFirst]))
    let groups = try context.aggregate(Book.self, by: \.author, .count, .average(\.pages))
    #expect(groups.map(\.0) == [authors[0], authors[1], authors[2]])
    #expect(groups.map(\.1) == [3, 1, 2])
    #expect(groups.map(\.2) == [225, 400, 150])
    let long = try context.aggregate(
      Book.self, by: \.author, where: \.pages != nil, having: .count > 1 && .average(\.pages) > 200,
      .maximum(\.pages))
    #expect(long.map(\.0) == [authors[0]])
    #expect(long.map(\.1) == [300])
    let others = try context.aggregate(
      Book.self, by: \.author, having: !(.count > 1 && .average(\.pages) > 200 || .maximum(\.title) < "B"))
    #expect(others == [authors[2]])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `groups have keys of one or two attributes, in ascending order with nil first`(kind: StoreKind) throws
  {
    let (store, context) = try Self.library(kind)
    let cities = try context.aggregate(Author.self, by: \.city, .count, .minimum(\.name), .maximum(\.name))
    #expect(cities.map(\.0) == [nil, "London", "Paris"])
    #expect(cities.map(\.1) == [1, 2, 1])
    #expect(cities.map(\.2) == ["Austen", "Orwell", "Nobody"])
    #expect(cities.map(\.3) == ["Austen", "Woolf", "Nobody"])
    let marks = try context.aggregate(Book.self, by: \.mark, \.pages, where: \.mark < 2, .count)
    #expect(marks.map(\.0) == [0, 0, 0, 1, 1])
    #expect(marks.map(\.1) == [100, 300, 400, 150, 200])
    let byAuthor = try context.aggregate(Book.self, by: \.author, \.mark, where: \.mark > 0, .sum(\.pages))
    #expect(byAuthor.map(\.1) == [1, 2, 1])
    #expect(byAuthor.map(\.2) == [150, 0, 200])
    let byCity = try context.aggregate(Book.self, by: \.author!.city, .count)
    #expect(byCity.map(\.0) == [nil, "London"])
    #expect(byCity.map(\.1) == [1, 5])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a summary of nothing is 0 or nil`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let none = try context.aggregate(
      Book.self, where: \.pages > 999, .count, .count(\.pages), .sum(\.pages), .average(\.pages),
      .minimum(\.title))
    #expect((none.0, none.1, none.2) == (0, 0, 0))
    #expect(none.3 == nil)
    #expect(none.4 == nil)
    #expect(try context.aggregate(Book.self, by: \.author, where: \.pages > 999, .count).isEmpty)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `unsaved books are in the groups of their new authors`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let authors = try context.fetch(FetchRequest(Author.self, sortedBy: [.oldestFirst]))
    let books = try context.fetch(FetchRequest(Book.self, sortedBy: [.oldestFirst]))
    (books[0].author, books[1].pages) = (authors[1], 7)
    context.delete(books[4])
    let new = context.insert(Book.self)
    (new.title, new.pages, new.author) = ("new", 1, authors[3])
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let groups = try context.aggregate(Book.self, by: \.author!.name, .count, .sum(\.pages))
      #expect(groups.map(\.0) == ["Austen", "Nobody", "Orwell", "Woolf"])
      #expect(groups.map(\.1) == [2, 1, 1, 2])
      #expect(groups.map(\.2) == [700, 1, 200, 7])
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a sum beyond 64 bits is an error, and one that returns from there is not`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let books = try context.fetch(FetchRequest(Book.self, where: \.pages != nil, sortedBy: [.oldestFirst]))
    for (book, pages) in zip(books, [Int.max, 1, -2, 0, 0]) { book.pages = pages }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(try context.aggregate(Book.self, .sum(\.pages)) == .max - 1)
      #expect {
        try context.aggregate(Book.self, where: \.pages >= 0, .sum(\.pages))
      } throws: { error in
        if case .request = error as? StoreError { true } else { false }
      }
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `distinct values come once, in ascending order`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let all = FetchRequest(Author.self)
    #expect(try context.fetchValues(all, distinct: \.city) == [nil, "London", "Paris"])
    context.insert(Author.self).city = "Bath"
    #expect(try context.fetchValues(all, distinct: \.city) == [nil, "Bath", "London", "Paris"])
    let two = FetchRequest(Author.self, where: \.city != nil, sortedBy: [.oldestFirst], limit: 2)
    #expect(try context.fetchValues(two, distinct: \.city) == ["London"])
    let cities = Set(try context.fetchValues(all, \.city))
    #expect(cities == [nil, "Bath", "London", "Paris"])
    #expect(Set(try context.fetchValues(all, \.name)).count == 5)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a value that is also shown for null comes once`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("", books: ["A"])
    try store.add("Woolf", books: ["B"])
    let context = store.context()
    context.insert(Book.self).title = "C"
    let names = try context.fetchValues(FetchRequest(Book.self), distinct: \.author!.name)
    #expect(names == ["", "Woolf"])
    let none: () = try context.aggregate(Book.self)
    #expect(none == ())
  }

  @Test(arguments: [false, true])
  func `groups of several stores are summarized together`(isUnsaved: Bool) throws {
    let (own, other) = (try LibraryStore(.sqlite), try LibraryStore(.memory))
    try own.add("Woolf", city: "London")
    try other.add("Orwell", city: "London")
    let coordinator = PersistentStoreCoordinator(model: Library.model)
    try coordinator.addPersistentStore(try #require(own.coordinator.writtenStore))
    coordinator.addReadOnlyStore(try #require(other.coordinator.writtenStore))
    let context = ManagedObjectContext(parent: coordinator)
    if isUnsaved { context.insert(Author.self).city = "London" }
    let groups = try context.aggregate(Author.self, by: \.city, .count)
    #expect(groups.map(\.0) == ["London"])
    #expect(groups.map(\.1) == [isUnsaved ? 3 : 2])
  }

  @Test(arguments: StoreKind.allCases)
  func `a sum of nothing leaves the values after it as they are`(kind: StoreKind) throws {
    let library = try LibraryStore(kind)
    try library.add("Austen", books: ["Emma", "Persuasion"])
    let (sum, count, mark) = try library.context().aggregate(
      Book.self, .sum(\.pages), .count, .maximum(\.mark))
    #expect(sum == 0)
    #expect(count == 2)
    #expect(mark == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `numbers, dates and bytes of every type are summarized`(kind: StoreKind) throws {
    let (store, place) = try kind.makeStore(Sample.model)
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Sample.model, store: store))
    for (weight, day, mark) in [(1.5, 0.5, [2]), (2, 3, [1, 9]), (2, 3, [1, 0])]
      as [(Double, Double, [UInt8])]
    {
      let sample = context.insert(Sample.self)
      (sample.weight, sample.mark) = (weight, mark)
      (sample.day, sample.isGood) = (Date(timeIntervalSince1970: day), weight == 2)
    }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let (sum, mean, first, least) = try context.aggregate(
        Sample.self, .sum(\.weight), .average(\.weight), .minimum(\.day), .maximum(\.mark))
      #expect(sum == 5.5)
      #expect(mean == 5.5 / 3)
      #expect(first == Date(timeIntervalSince1970: 0.5))
      #expect(least == [2])
      let groups = try context.aggregate(Sample.self, by: \.weight, \.day, .count)
      #expect(groups.map(\.0) == [1.5, 2])
      #expect(groups.map(\.2) == [1, 2])
      #expect(try context.fetchValues(FetchRequest(Sample.self), distinct: \.isGood) == [false, true])
    }
    withExtendedLifetime(place) {}
  }
}

private final class Sample: ManagedObject, Entity {
  override class var entityName: String { "sample" }

  struct Schema: Sendable {
    let weight = Attribute<Double>("weight")
    let day = Attribute<Date>("day")
    let mark = Attribute<[UInt8]>("mark")
    let isGood = Attribute<Bool>("is_good")
  }

  static let entity = EntityDeclaration(Sample.self, Schema())
  static let model = ManagedObjectModel(version: 1, entities: [Sample.self])
}
