import ManagedContext

/// A note, as one request's context sees it.
final class Note: HookedObject, Entity {
  override class var entityName: String { "note" }

  struct Schema: Sendable {
    let title = Attribute<String>("title")
    let text = Attribute<String>("text", default: "")
    /// The number of the note's saves. A client that edits a note names the revision that it has read.
    let revision = Attribute<Int>("revision", default: 0)
  }

  static let entity = EntityDeclaration(Note.self, Schema(), unique: { [[$0.title]] })

  override func willSave() { self.revision += 1 }

  override func validate() -> [ValidationError] {
    self.title.isEmpty ? [violation("is empty", of: \.title)] : []
  }
}

enum Notes {
  static let model = ManagedObjectModel(version: 1, entities: [Note.self])
}
