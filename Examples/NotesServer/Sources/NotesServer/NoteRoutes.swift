import Hummingbird
import ManagedContext

/// A note in a response: a value, which may leave the note's context.
struct NoteView: ResponseEncodable, Sendable {
  let id: Int64
  let title: String
  let text: String
  let revision: Int

  init(_ note: Note) {
    (id, title, text, revision) = (note.id.key, note.title, note.text, note.revision)
  }
}

/// A new note in a request.
struct NewNote: Decodable, Sendable {
  let title: String
  let text: String?
}

/// An edit in a request. It applies to the revision that the client has read.
struct NoteEdit: Decodable, Sendable {
  let revision: Int
  let title: String?
  let text: String?
}

/// GET, POST, PUT and DELETE for `/notes`. Each request has a context of its own, which ends with the request.
struct NoteRoutes: Sendable {
  let stack: Stack

  func add(to router: some RouterMethods<BasicRequestContext>) {
    router.group("notes").get(use: list).post(use: create)
      .get(":id", use: show).put(":id", use: edit).delete(":id", use: delete)
  }

  /// Lists the notes by title; with `?search=`, the notes whose text or title contains it.
  @Sendable func list(_ request: Request, _ context: BasicRequestContext) async throws -> [NoteView] {
    let word = request.uri.queryParameters["search"].map(String.init)
    return try await stack.context().perform { objects in
      let predicate: FetchPredicate<Note>? = word.map {
        .contains(\.title, $0, .caseInsensitive) || .contains(\.text, $0, .caseInsensitive)
      }
      return try objects.fetch(FetchRequest(Note.self, where: predicate, sortedBy: [.ascending(\.title)]))
        .map(NoteView.init)
    }
  }

  @Sendable func show(_ request: Request, _ context: BasicRequestContext) async throws -> NoteView {
    let row = try context.parameters.require("id", as: Int64.self)
    return try await stack.context().perform { NoteView(try $0.note(row)) }
  }

  @Sendable func create(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> EditedResponse<NoteView> {
    let new = try await request.decode(as: NewNote.self, context: context)
    let objects = stack.context()
    let id = await objects.perform { objects in
      let note = objects.insert(Note.self)
      note.title = new.title
      note.text = new.text ?? ""
      return note.id
    }
    try await objects.save()
    // The temporary ID leads to the saved note.
    let saved = try await objects.perform { NoteView(try $0.existingObject(Note.self, with: id)) }
    return EditedResponse(status: .created, response: saved)
  }

  @Sendable func edit(_ request: Request, _ context: BasicRequestContext) async throws -> NoteView {
    let row = try context.parameters.require("id", as: Int64.self)
    let edit = try await request.decode(as: NoteEdit.self, context: context)
    let objects = stack.context()
    try await objects.perform { objects in
      let note = try objects.note(row)
      // An edit that is saved after this line is found by the save.
      guard note.revision == edit.revision else {
        throw HTTPError(.conflict, message: "the note has revision \(note.revision)")
      }
      if let title = edit.title { note.title = title }
      if let text = edit.text { note.text = text }
    }
    try await objects.save()
    return try await objects.perform { NoteView(try $0.note(row)) }
  }

  @Sendable func delete(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> HTTPResponse.Status {
    let row = try context.parameters.require("id", as: Int64.self)
    let objects = stack.context()
    try await objects.perform { $0.delete(try $0.note(row)) }
    try await objects.save()
    return .noContent
  }
}

extension ManagedObjectContext {
  /// Returns the note with a row's number.
  func note(_ row: Int64) throws -> Note {
    guard let id = id(Note.self, row: row) else { throw HTTPError(.notFound) }
    return try existingObject(Note.self, with: id)
  }
}
