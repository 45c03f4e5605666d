import ManagedContext
import TestSupport
import Testing

@Suite struct FetchingTests {
  private let stack: LibraryStack
  private let authors: [ManagedObjectID]

  init() async throws {
    stack = try LibraryStack()
    authors = [try await stack.addAuthor("Woolf"), try await stack.addAuthor("Joyce")]
    let context = stack.background()
    let authors = authors
    await context.perform { context in
      context.insert(.books([("Orlando", 3), ("The Waves", 1), ("Flush", 2)], by: authors[0]))
      context.insert(.books([("Ulysses", 4)], by: authors[1]))
    }
    try await context.save()
  }

  private func titles(_ request: FetchRequest<Book>) async throws -> [String] {
    try await stack.background().perform { (context) throws(StoreError) in
      try context.fetch(request).map(\.title)
    }
  }

  @Test func `a request sorts, skips and limits`() async throws {
    let byMark = FetchRequest(Book.self, sortedBy: [.descending(\.mark)], offset: 1, limit: 2)
    #expect(try await titles(byMark) == ["Orlando", "Flush"])
  }

  @Test func `conditions combine with and, or and not`() async throws {
    let woolf = \Book.author == authors[0]
    let order = [FetchSort.ascending(\Book.title)]
    #expect(
      try await titles(FetchRequest(Book.self, where: woolf && \.mark >= 2, sortedBy: order)) == [
        "Flush", "Orlando",
      ])
    #expect(
      try await titles(FetchRequest(Book.self, where: !woolf || \.mark < 2, sortedBy: order)) == [
        "The Waves", "Ulysses",
      ])
  }

  @Test func `null equals null`() async throws {
    #expect(try await titles(FetchRequest(Book.self, where: \.pages == nil)).count == 4)
    #expect(try await titles(FetchRequest(Book.self, where: \.pages != nil)).isEmpty)
  }

  @Test func `a condition may use a query for another entity`() async throws {
    let byJoyce = FetchRequest(Book.self, where: .to(\.author, where: \.name == "Joyce"))
    #expect(try await titles(byJoyce) == ["Ulysses"])
  }

  @Test func `ten thousand keys fit into one query`() throws {
    let query = StoreQuery(
      entity: 1,
      predicate: .ids(
        (1...10_000).map { ManagedObjectID(entity: 1, store: stack.root.writtenStoreNumber, key: $0) }))
    #expect(try stack.root.fetch(query).count == 4)
  }

  @Test func `a text with a NUL byte does not match its beginning`() async throws {
    #expect(try await titles(FetchRequest(Book.self, where: \.title == "Flush\0")).isEmpty)
    let context = stack.background()
    await context.perform { [author = authors[0]] context in
      context.insert(.books([("Flush\0", 9)], by: author))
    }
    try await context.save()
    #expect(try await titles(FetchRequest(Book.self, where: \.title == "Flush\0")) == ["Flush\0"])
    #expect(try await titles(FetchRequest(Book.self, where: \.title == "Flush")) == ["Flush"])
    #expect(try await titles(FetchRequest(Book.self, where: .among(\.title, ["Flush\0"]))) == ["Flush\0"])
  }

  @Test func `a chain of thousands of conditions fits into one query`() async throws {
    var any = \Book.mark == -1
    for mark in 0..<3000 { any = any || \.mark == mark }
    #expect(try await titles(FetchRequest(Book.self, where: any)).count == 4)
    var all = \Book.mark != -1
    for mark in 1000..<4000 { all = all && \.mark != mark }
    #expect(try await titles(FetchRequest(Book.self, where: all)).count == 4)
  }

  @Test func `conditions nested too deeply are an error`() async throws {
    var deep = \Book.mark == 1
    for _ in 0..<20_000 { deep = !deep }
    await #expect(throws: StoreError.self) { _ = try await titles(FetchRequest(Book.self, where: deep)) }
    var some = \Book.mark == 1
    for mark in 0..<10 { some = !(some && \.mark != mark + 50) }
    _ = try await titles(FetchRequest(Book.self, where: some))
    for mark in 0..<39 { some = !(some && \.mark != mark + 50) }
    await #expect {
      _ = try await titles(FetchRequest(Book.self, where: some))
    } throws: { error in
      if case .request = error as? StoreError { true } else { false }
    }
  }

  @Test func `a value is never part of the SQL text`() async throws {
    let hostile = "x'; DROP TABLE book; --"
    #expect(try await titles(FetchRequest(Book.self, where: \.title == hostile)).isEmpty)
    #expect(try stack.root.count(StoreQuery(entity: 1)) == 4)
  }
}
