import ManagedContext

/// One line of the imported data: a value, which may be passed to any queue.
struct Line: Sendable {
  let author: String
  let city: String?
  let title: String
  let pages: Int
}

/// Saves lines as books, in a new context.
func importBooks(_ lines: [Line], into root: RootContext) async throws -> ContextChanges {
  let worker = BackgroundContext(parent: root, name: "import", author: "importer")
  try await worker.perform { context in
    for line in lines {
      let author = try author(named: line.author, in: context)
      if let city = line.city { author.city = city }
      let known = FetchRequest(
        Book.self, where: \Book.author == author.id && \Book.title == line.title, limit: 1)
      let book = try context.fetch(known).first ?? context.insert(Book.self)
      book.author = author
      book.title = line.title
      book.pages = line.pages
    }
  }
  return try await worker.save()
}

/// Returns the author with a name, and creates it if necessary.
private func author(named name: String, in context: ManagedObjectContext) throws -> Author {
  let known = FetchRequest(Author.self, where: \Author.name == name, limit: 1)
  if let author = try context.fetch(known).first { return author }
  let author = context.insert(Author.self)
  author.name = name
  return author
}
