import ManagedContext
import TestSupport
import Testing

/// A run-time check names the queue in cases that the compiler cannot detect.
@Suite struct QueueCheckTests {
  @Test func `a context used on another thread stops the program with its queue's name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      let owner = BackgroundContext(parent: coordinator, name: "import-1")
      let box = Smuggler()
      await owner.perform { context in box.context = context }
      // The same as a C callback on its own thread.
      _ = box.context?.insert(Author.self)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("belongs to the queue “import-1”"))
  }

  @Test func `editing an object of the main context on another thread stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      let id = try LibraryStore.addAuthor("Woolf", to: coordinator)
      let box = Smuggler()
      try await MainActor.run {
        let main = MainContext(parent: coordinator)
        box.main = main
        box.author = try main.context.existingObject(Author.self, with: id)
      }
      await BackgroundContext(parent: coordinator, name: "elsewhere").perform { _ in
        box.author?.city = "London"
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("belongs to the queue “main”, and was used on “elsewhere”"))
  }

  @Test func `in a debug build each edit is checked, including edits of new objects`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      let owner = BackgroundContext(parent: coordinator, name: "import-1")
      let box = Smuggler()
      await owner.perform { context in
        box.author = context.insert(Author.self)
        box.author?.name = "Woolf"
      }
      box.author?.name = "Austen"
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("belongs to the queue “import-1”"))
  }

  @Test
  func `in a debug build reading a fault or a relationship after its context was released stops the program`()
    async
  {
    let misuses = [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try bookOfReleasedContext { $0.object(Book.self, with: $1) }?.title
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try bookOfReleasedContext { try $0.existingObject(Book.self, with: $1) }.tags
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try bookOfReleasedContext { try $0.existingObject(Book.self, with: $1) }.author
      },
    ]
    for (result, subject) in zip(misuses, ["its values were", "tags was", "author_id was"]) {
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("book object 1: \(subject) read after its context was released or reset"))
    }
  }

  @Test
  func `an object of another context in a relationship or a deletion stops the program with both names`()
    async
  {
    let misuses = [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (author, book, _) = try twoContexts()
        book.author = author
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (author, book, _) = try twoContexts()
        author.books = [book]
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (author, book, _) = try twoContexts()
        author.add(book, to: Author.schema.books)
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (author, _, second) = try twoContexts()
        second.delete(author)
      },
    ]
    for result in misuses {
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("“first”") && message.contains("“second”"))
    }
  }

  @Test func `contexts that wait for each other stop the program instead of hanging`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      let (first, second) = (
        BackgroundContext(parent: coordinator, name: "first"),
        BackgroundContext(parent: coordinator, name: "second")
      )
      await first.perform { _ in
        second.performAndWait { _ in first.performAndWait { _ in } }
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("“second” waits for “first”, which waits for “second”"))
  }

  @Test func `contexts that wait for each other in turn go on`() async {
    await #expect(processExitsWith: .success) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      let first = BackgroundContext(parent: coordinator, name: "first")
      let second = BackgroundContext(parent: coordinator, name: "second")
      for _ in 0..<5000 {
        // The second context waits for the first one as soon as it no longer keeps the first one waiting.
        await withCheckedContinuation { done in
          first.executor.enqueue {
            second.performAndWait { _ in
              second.executor.enqueue {
                first.performAndWait { _ in }
                done.resume()
              }
            }
          }
        }
      }
    }
  }

  @Test
  func `a main queue that waits for a child that queries it stops the program instead of hanging`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      await MainActor.run {
        let main = MainContext(parent: coordinator)
        let child = BackgroundContext(parent: main, name: "child")
        _ = child.performAndWait { context in try? context.count(FetchRequest(Author.self)) }
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("“child” waits for the main queue, which waits for “child”"))
  }
}

/// An `@unchecked Sendable` box that carries a context out of its queue.
private final class Smuggler: @unchecked Sendable {
  // Unsafe on purpose, because the test shows that the misuse is detected.
  var context: ManagedObjectContext?
  var author: Author?
  var main: MainContext?
}

/// Returns what `body` makes of a stored book, after the release of its context.
private func bookOfReleasedContext<Value>(
  _ body: (ManagedObjectContext, ManagedObjectID) throws -> Value
) throws -> Value {
  let store = try LibraryStore(.memory)
  try store.add("Woolf", books: ["Orlando"])
  let id = try store.context().fetchIDs(FetchRequest(Book.self))[0]
  return try body(store.context(), id)
}

/// Creates an author in the context “first” and a book in the context “second”, of one store.
private func twoContexts() throws -> (Author, Book, ManagedObjectContext) {
  let coordinator = PersistentStoreCoordinator(
    model: Library.model, store: InMemoryStore(model: Library.model))
  let (first, second) = (ManagedObjectContext(parent: coordinator), ManagedObjectContext(parent: coordinator))
  (first.name, second.name) = ("first", "second")
  let author = first.insert(Author.self)
  // An object does not hold its context.
  for context in [first, second] { _ = Unmanaged.passRetained(context) }
  return (author, second.insert(Book.self), second)
}
