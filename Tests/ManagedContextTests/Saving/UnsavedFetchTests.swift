import ManagedContext
import TestSupport
import Testing

/// A fetch with unsaved changes returns the same objects as the fetch after a save, in every store.
@Suite struct UnsavedFetchTests {
  @Test(arguments: 0..<60)
  func `a fetch returns the same objects before and after a save, in every store`(
    seed: UInt64
  ) throws {
    let all = try StoreKind.allCases.map { try answers(of: $0, seed: seed) }
    #expect(all[0].before == all[0].after)
    #expect(all[1].before == all[1].after)
    #expect(all[0].after == all[1].after)
  }

  private func answers(of kind: StoreKind, seed: UInt64) throws -> (before: [String], after: [String]) {
    var generator = SeededGenerator(seed: seed)
    let store = try LibraryStore(kind)
    let setUp = store.context()
    try addObjects(in: setUp, "old", &generator)
    try setUp.save()
    let context = store.context()
    try edit(in: context, &generator)
    try addObjects(in: context, "new", &generator)
    let requests = (0..<12).map { _ in request(&generator) }
    let before = try requests.map { try answer($0, in: context) }
    try context.save()
    let reader = store.context()
    return (before, try requests.map { try answer($0, in: reader) })
  }

  /// Adds authors, books and tags.
  private func addObjects(
    in context: ManagedObjectContext, _ word: String, _ generator: inout SeededGenerator
  ) throws {
    let tags = (0..<3).map { number in
      let tag = context.insert(Tag.self)
      tag.name = "\(word) tag \(number)"
      return tag
    }
    for number in 0..<Int.random(in: 1...4, using: &generator) {
      let author = context.insert(Author.self)
      author.name = "\(word) author \(number)"
      author.city = ["London", "Rodmell", nil].randomElement(using: &generator) ?? nil
      for place in 0..<Int.random(in: 0...4, using: &generator) {
        let book = context.insert(Book.self)
        book.title = "\(word) book \(Int.random(in: 0..<9, using: &generator)) \(number) \(place)"
        book.pages = [nil, 90, 300, 300].randomElement(using: &generator) ?? nil
        book.mark = Int.random(in: 0..<4, using: &generator)
        book.author = author
        book.tags = tags.filter { _ in Bool.random(using: &generator) }
      }
    }
  }

  /// Changes, moves and deletes some of the objects.
  private func edit(in context: ManagedObjectContext, _ generator: inout SeededGenerator) throws {
    let authors = try context.fetch(FetchRequest(Author.self))
    for book in try context.fetch(FetchRequest(Book.self)) {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: context.delete(book)
      case 1: book.pages = [nil, 90, 1000].randomElement(using: &generator) ?? nil
      case 2: book.title += " edited"
      case 3: book.author = authors.randomElement(using: &generator)
      case 4: book.tags = []
      default: break
      }
    }
    for author in authors where Bool.random(using: &generator) { author.city = "Rodmell" }
    if let author = authors.first, Bool.random(using: &generator) { context.delete(author) }
  }

  private func request(_ generator: inout SeededGenerator) -> FetchRequest<Book> {
    let sorts: [[FetchSort<Book>]] = [
      [], [.ascending(\.title)], [.descending(\.pages), .ascending(\.mark)], [.newestFirst],
      [.ascending(\.pages), .newestFirst],
    ]
    return FetchRequest(
      Book.self, where: Bool.random(using: &generator) ? predicate(&generator, depth: 2) : nil,
      sortedBy: sorts.randomElement(using: &generator) ?? [],
      offset: Int.random(in: 0...3, using: &generator),
      limit: [nil, 0, 1, 4].randomElement(using: &generator) ?? nil)
  }

  private func predicate(_ generator: inout SeededGenerator, depth: Int) -> FetchPredicate<Book> {
    let isLeaf = depth == 0 || Int.random(in: 0..<3, using: &generator) == 0
    switch Int.random(in: isLeaf ? 3..<14 : 0..<3, using: &generator) {
    case 0: return predicate(&generator, depth: depth - 1) && predicate(&generator, depth: depth - 1)
    case 1: return predicate(&generator, depth: depth - 1) || predicate(&generator, depth: depth - 1)
    case 2: return !predicate(&generator, depth: depth - 1)
    case 3: return \.pages == nil
    case 4: return \.pages != 300
    case 5: return \.pages < 300
    case 6: return \.mark >= 2
    case 7: return \.mark > 2 || \.pages <= 90
    case 8: return .among(\.pages, [nil, 90])
    case 9: return .hasPrefix(\.title, "old book")
    case 10: return .contains(\.title, "edited")
    case 11: return .to(\.author, where: \.city == "Rodmell")
    case 12: return .to(some: \.tags, where: .hasPrefix(\.name, "new"))
    default: return .to(\.author, where: .to(some: \.books, where: \.pages == 90))
    }
  }

  private func answer(
    _ request: FetchRequest<Book>, in context: ManagedObjectContext
  ) throws -> String {
    let titles = try context.fetch(request).map(\.title)
    let values = try context.fetchValues(request, \.title, \.pages)
    #expect(values.map(\.0) == titles)
    #expect(try context.fetchIDs(request).count == titles.count)
    #expect(try context.count(request) == titles.count)
    return titles.joined(separator: ", ")
  }
}
