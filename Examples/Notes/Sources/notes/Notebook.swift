import Foundation
import ManagedContext
import SQLiteStore

/// The notes in a file, and the contexts over it.
@MainActor
struct Notebook {
  let root: RootContext
  private let coordinator: PersistentStoreCoordinator
  private let main: MainContext

  /// Opens a file, and creates it if it does not exist.
  init(path: String) throws(StoreError) {
    let store = try SQLiteStore(
      path: path, model: Notes.model, identity: StoreIdentity(applicationID: 0x4E4F_5445))
    coordinator = PersistentStoreCoordinator(model: Notes.model, store: store)
    root = RootContext(coordinator: coordinator)
    // If another process has added a tag at the same time, the new tag becomes that one.
    main = MainContext(parent: root, mergePolicy: .objectTrumps)
  }

  // MARK: Changing notes

  /// Adds a note and returns its number.
  func add(title: String, text: String, tags: [String]) async throws(StoreError) -> Int64 {
    let note = main.context.insert(Note.self)
    note.title = title
    note.text = text
    try main.context.add(tags, to: note)
    try await main.save()
    return note.id.key
  }

  func edit(_ number: Int64, text: String) async throws {
    try note(number).text = text
    try await main.save()
  }

  func tag(_ number: Int64, _ tags: [String]) async throws {
    try main.context.add(tags, to: note(number))
    try await main.save()
  }

  func delete(_ number: Int64) async throws {
    main.context.delete(try note(number))
    try await main.save()
  }

  // MARK: Reading notes

  func note(_ number: Int64) throws -> Note {
    guard let id = main.context.id(Note.self, row: number) else {
      throw Mistake("\(number) is no note's number")
    }
    return try main.context.existingObject(Note.self, with: id)
  }

  /// Returns notes, the newest first.
  func notes(where predicate: FetchPredicate<Note>? = nil) throws(StoreError) -> [Note] {
    try main.context.fetch(Self.request(where: predicate))
  }

  /// Returns the notes that contain each of some words, without regard to case and accents.
  func notes(containing words: [String]) throws(StoreError) -> [Note] {
    let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    return try notes(
      where: words.reduce(.constant(true)) { all, word in
        all && (.contains(\.title, word, options) || .contains(\.text, word, options))
      })
  }

  /// Returns the tags that have notes, with the number of their notes.
  func tags() throws(StoreError) -> [(name: String, count: Int)] {
    let request = FetchRequest(
      Tag.self, where: !.isEmpty(\.notes), sortedBy: [.ascending(\.name)], prefetching: [\Tag.notes])
    return try main.context.fetch(request).map { ($0.name, $0.notes.count) }
  }

  private static func request(where predicate: FetchPredicate<Note>? = nil) -> FetchRequest<Note> {
    FetchRequest(
      Note.self, where: predicate, sortedBy: [.descending(\.created), .ascending(\.title)],
      prefetching: [\Note.tags])
  }

  // MARK: Following changes

  /// Prints the changes that other processes save, until the task is cancelled.
  func watch(_ print: (String) -> Void) async throws(StoreError) {
    try coordinator.mergeRemoteChanges()
    main.mergeInterval = 0.1
    let notes = FetchedResultsController(main, Self.request())
    try notes.performFetch()
    let changes = notes.changes()
    print("watching \(notes.count) notes")
    for await change in changes {
      for new in change.insertions { print("new: \(notes.object(at: new.path)?.line ?? "")") }
      for edit in change.updates { print("changed: \(notes.object(at: edit.after)?.line ?? "")") }
      for old in change.deletions { print("deleted: \(old.id.key)") }
    }
  }
}

extension Note {
  /// The note in one line: its number, title and tags.
  var line: String {
    ([String(id.key), self.title] + self.tags.map(\.name).sorted().map { "#" + $0 }).joined(separator: " ")
  }
}

/// A mistake in the arguments.
struct Mistake: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
