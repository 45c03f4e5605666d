import TestSupport
import Testing

@testable import ManagedContext

/// Fetched objects read their values in the fetched rows until they are edited or read often.
@Suite struct RowPageTests {
  private let store: LibraryStore

  init() throws {
    store = try LibraryStore(.sqlite)
    try store.add("Woolf", city: "London", books: (0..<200).map { "Book \($0)" })
  }

  private func books(_ context: ManagedObjectContext) throws -> [Book] {
    try context.fetch(FetchRequest(Book.self, sortedBy: [.ascending(\.mark)]))
  }

  @Test func `each object has its row's values, in every page`() throws {
    let context = store.context()
    let books = try books(context)
    #expect(books.map(\.title) == (0..<200).map { "Book \($0)" } && books.map(\.mark) == Array(1...200))
    #expect(books.allSatisfy { $0.page != nil && $0.pages == nil && $0.author?.name == "Woolf" })
    #expect(Set(books.compactMap { $0.page.map(ObjectIdentifier.init) }).count == 4)
  }

  @Test func `an edited object has its own values, and the others stay in the page`() throws {
    let context = store.context()
    let books = try books(context)
    books[70].title = "Flush"
    #expect(books[70].page == nil && books[71].page != nil)
    #expect(books[70].title == "Flush" && books[70].mark == 71 && books[71].title == "Book 71")
    try context.save()
    #expect(
      try store.context().count(FetchRequest(Book.self, where: \.title == "Flush" && \.mark == 71)) == 1)
    books[72].title = "Orlando"
    context.refresh(books[72], mergeChanges: false)
    #expect(books[72].title == "Book 72")
  }

  @Test func `an object that is read more often than it has attributes copies its values`() throws {
    let book = try #require(try books(store.context()).first)
    for _ in 0..<5 { #expect(book.title == "Book 0" && book.page != nil) }
    #expect(book.title == "Book 0" && book.page == nil && book.mark == 1)
  }

  @Test func `a change of another context replaces the values in the page`() throws {
    let (reader, writer) = (store.context(), store.context())
    let seen = try books(reader)
    let author = try #require(seen[3].author)
    try books(writer)[3].title = "Flush"
    try reader.mergeChanges(from: try writer.save())
    #expect(seen[3].title == "Flush" && seen[4].title == "Book 4" && seen[3].author === author)
    writer.delete(try books(writer)[4])
    try reader.mergeChanges(from: try writer.save())
    #expect(seen[4].isGone && seen[4].title == "Book 4")
  }
}
