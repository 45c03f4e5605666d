import ManagedContext
import TestSupport
import Testing

@Suite struct LeakTests {
  /// A weak reference.
  private struct Trace {
    weak var owner: BackgroundContext?
    weak var parent: BackgroundContext?
    weak var executor: ThreadExecutor?
  }

  @Test func `released contexts leave no objects behind`() async throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf", books: ["Orlando", "Flush"])
    var traces: [Trace] = []
    for round in 0..<200 {
      let parent = BackgroundContext(parent: store.coordinator, name: "parent", mergesChanges: true)
      let child = BackgroundContext(parent: parent, name: "child", mergesChanges: true)
      try await child.perform { (context) throws(StoreError) in
        let authors = try context.fetch(FetchRequest(Author.self, prefetching: [\Author.books]))
        authors.first?.city = "city \(round)"
        context.insert(Tag.self).books = authors.flatMap(\.books)
      }
      if round % 2 == 0 { _ = try? await child.save() }
      traces.append(Trace(owner: child, parent: parent, executor: child.executor))
    }
    // Blocks enqueued on a context's thread hold the context until they have run.
    for trace in traces {
      try await until(
        "the release of a context", { trace.owner == nil && trace.parent == nil && trace.executor == nil })
    }
    #expect(traces.allSatisfy { $0.owner == nil && $0.parent == nil && $0.executor == nil })
  }

  @Test func `objects that refer to each other are released with their context`() throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf", books: ["Orlando", "Flush"])
    var context: ManagedObjectContext? = store.context()
    weak var author: Author?
    weak var book: Book?
    try { () throws in
      let found = try context?.fetch(FetchRequest(Author.self)).first
      let tag = context?.insert(Tag.self)
      tag?.name = "London"
      tag?.books = found?.books ?? []
      (author, book) = (found, found?.books.first)
      #expect(book?.tags.count == 1 && book?.author === author)
    }()
    #expect(author != nil)
    context = nil
    #expect(author == nil && book == nil)
  }
}
