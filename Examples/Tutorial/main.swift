import ManagedContext
import SQLiteStore

let store = try SQLiteStore(
  path: CommandLine.arguments.dropFirst().first ?? "books.sqlite", model: Library.model,
  identity: StoreIdentity(applicationID: 0x424F_4F4B))
let coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
let root = RootContext(coordinator: coordinator)
let main = MainContext(parent: root, mergePolicy: .objectTrumps)

let woolf = main.context.insert(Author.self)
woolf.name = "Virginia Woolf"
let novel = main.context.insert(Book.self)
novel.title = "To the Lighthouse"
novel.pages = 209
novel.author = woolf
try await main.save()
print("\(woolf.name), \(woolf.city ?? "city unknown"): \(woolf.books.map(\.title))")

try main.flush()
main.didMerge = { changes in
  print("merged: \(changes.inserted.count) new, \(changes.updated.count) changed")
}

let changes = try await importBooks(
  [
    Line(author: "Virginia Woolf", city: "London", title: "Orlando", pages: 333),
    Line(author: "Virginia Woolf", city: nil, title: "To the Lighthouse", pages: 209),
    Line(author: "Jane Austen", city: "Chawton", title: "Emma", pages: 474),
  ],
  into: root)
print("the import saved \(changes.inserted.count) new objects")

try main.flush()
print("\(woolf.name), \(woolf.city ?? "city unknown"): \(woolf.books.map(\.title))")

let long = FetchRequest(Book.self, where: \Book.pages > 300, sortedBy: [.ascending(\.title)])
for book in try main.context.fetch(long) {
  print("\(book.title), \(book.pages) pages, by \(book.author?.name ?? "nobody")")
}

root.close()
