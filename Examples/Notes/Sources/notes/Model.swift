import Foundation
import ManagedContext

final class Note: HookedObject, Entity {
  override class var entityName: String { "note" }

  struct Schema: Sendable {
    let title = Attribute<String>("title")
    let text = Attribute<String>("text", default: "")
    let created = Attribute<Date>("created")
    let tags = ToMany<Tag>("tags", inverse: \.notes)
  }

  static let entity = EntityDeclaration(Note.self, Schema(), indexes: { [[$0.created]] })

  override func awakeFromInsert() { self.created = Date() }

  override func validate() -> [ValidationError] {
    self.title.isEmpty ? [violation("is empty", of: \.title)] : []
  }
}

final class Tag: ManagedObject, Entity {
  override class var entityName: String { "tag" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let notes = ToMany<Note>("notes")
  }

  static let entity = EntityDeclaration(Tag.self, Schema(), unique: { [[$0.name]] })
}

enum Notes {
  static let model = ManagedObjectModel(version: 1, entities: [Note.self, Tag.self])
}

extension ManagedObjectContext {
  /// Adds tags to a note, and creates those that do not exist yet. A tag that the note has is not added twice.
  func add(_ names: some Sequence<String>, to note: Note) throws(StoreError) {
    for name in names { note.tags.append(try tag(named: name)) }
  }

  private func tag(named name: String) throws(StoreError) -> Tag {
    let known = FetchRequest(Tag.self, where: \Tag.name == name, limit: 1)
    if let tag = try fetch(known).first { return tag }
    let tag = insert(Tag.self)
    tag.name = name
    return tag
  }
}
