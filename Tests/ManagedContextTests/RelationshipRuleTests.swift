import ManagedContext
import TestSupport
import Testing

/// Delete rules of many-to-many relationships, and relationships to at most one object at both ends.
@Suite struct RelationshipRuleTests {
  private static let model = ManagedObjectModel(
    version: 1, entities: [Album.self, Track.self, Fan.self, Cover.self])

  private struct Place {
    let context: ManagedObjectContext
    let owner: (any Sendable)?
  }

  private func place(_ kind: StoreKind) throws -> Place {
    let (store, owner) = try kind.makeStore(Self.model)
    return Place(
      context: ManagedObjectContext(parent: PersistentStoreCoordinator(model: Self.model, store: store)),
      owner: owner)
  }

  /// Deletes an object by itself, or with all others that have its name.
  private func delete(_ album: Album, in context: ManagedObjectContext, asBatch: Bool) throws {
    if asBatch {
      try context.deleteAll(Album.self, where: .ids([album.id]))
    } else {
      context.delete(album)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a cascading relationship deletes the objects at its other end, with their pairs`(
    kind: StoreKind, asBatch: Bool
  ) throws {
    let place = try place(kind)
    let context = place.context
    let (first, second) = (context.insert(Album.self), context.insert(Album.self))
    let tracks = (1...3).map { _ in context.insert(Track.self) }
    (first.tracks, second.tracks) = (Array(tracks[0...1]), Array(tracks[1...2]))
    try context.save()
    try delete(first, in: context, asBatch: asBatch)
    try context.save()
    #expect(try context.fetchIDs(FetchRequest(Track.self)) == [tracks[2].id])
    #expect(second.tracks.map(\.id) == [tracks[2].id])
    #expect(try context.fetchRelatedIDs(\Album.tracks, of: nil) == [second.id: [tracks[2].id]])
    withExtendedLifetime(place.owner) {}
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a denying relationship refuses the deletion while its other end stays`(
    kind: StoreKind, asBatch: Bool
  ) throws {
    let place = try place(kind)
    let context = place.context
    let (album, fan) = (context.insert(Album.self), context.insert(Fan.self))
    album.fans = [fan]
    try context.save()
    try delete(album, in: context, asBatch: asBatch)
    let denied = ValidationError(entity: "album", attribute: "fans", object: album.id, cause: .deleteDenied)
    #expect(throws: StoreError.validation(denied)) { try context.save() }
    context.rollback()
    #expect(album.fans === [fan])
    try delete(album, in: context, asBatch: asBatch)
    if asBatch { try context.deleteAll(Fan.self) } else { context.delete(fan) }
    #expect(try context.save().deleted.count == 3)
    withExtendedLifetime(place.owner) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a unique relationship with a property at the other end leads to one object both ways`(
    kind: StoreKind
  ) throws {
    let place = try place(kind)
    let context = place.context
    let (album, first, second) = (
      context.insert(Album.self), context.insert(Cover.self), context.insert(Cover.self)
    )
    album.cover = first
    try context.save()
    #expect(album.cover === first && first.album === album && second.album == nil)
    album.cover = second
    try context.save()
    #expect(album.cover === second && first.album == nil && second.album === album)
    second.album = nil
    #expect(album.cover == nil)
    withExtendedLifetime(place.owner) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch sets and empties a relationship to at most one object`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let (woolf, stein) = (try store.add("Woolf", books: ["Orlando", "Flush"]), try store.add("Stein"))
    let context = store.context()
    let author = try context.existingObject(Author.self, with: woolf)
    #expect(author.books.count == 2)
    try context.updateAll(Book.self, where: \.title == "Flush", set: .set(\.author, to: stein))
    try context.save()
    #expect(author.books.map(\.title) == ["Orlando"])
    #expect(try context.existingObject(Author.self, with: stein).books.map(\.title) == ["Flush"])

    let place = try place(kind)
    let (album, cover) = (place.context.insert(Album.self), place.context.insert(Cover.self))
    album.cover = cover
    try place.context.save()
    try place.context.updateAll(Cover.self, set: .set(\.album, to: nil))
    try place.context.save()
    #expect(cover.album == nil && album.cover == nil)
    withExtendedLifetime(place.owner) {}
  }

  @Test func `a batch refuses an ID that the relationship cannot lead to, and nil in a required one`() throws
  {
    let store = try LibraryStore(.memory)
    let context = store.context()
    let author = try context.existingObject(Author.self, with: try store.add("Woolf", books: ["Flush"]))
    let book = try #require(author.books.first)
    let new = context.insert(Author.self)
    for id in [book.id, new.id] {
      let broken = ValidationError(
        entity: "book", attribute: "author_id", object: id, cause: .brokenRelationship)
      #expect(throws: StoreError.validation(broken)) {
        try context.updateAll(Book.self, set: .set(\.author, to: id))
      }
    }
    let missing = ValidationError(entity: "book", attribute: "author_id", cause: .missingValue)
    #expect(throws: StoreError.validation(missing)) {
      try context.updateAll(Book.self, set: .set(\.author, to: nil))
    }
  }
}

private final class Album: ManagedObject, Entity {
  override class var entityName: String { "album" }

  struct Schema: Sendable {
    let tracks = ToMany<Track>("tracks", inverse: \.albums, onDelete: .cascade)
    let fans = ToMany<Fan>("fans", inverse: \.albums, onDelete: .deny)
    let covers = ToMany<Cover>("covers")
  }

  static let entity = EntityDeclaration(Album.self, Schema())

  /// The other end of the covers' unique relationship.
  var cover: Cover? {
    get { self.covers.first }
    set { self.covers = newValue.map { [$0] } ?? [] }
  }
}

private final class Track: ManagedObject, Entity {
  override class var entityName: String { "track" }

  struct Schema: Sendable {
    let albums = ToMany<Album>("albums")
  }

  static let entity = EntityDeclaration(Track.self, Schema())
}

private final class Fan: ManagedObject, Entity {
  override class var entityName: String { "fan" }

  struct Schema: Sendable {
    let albums = ToMany<Album>("albums")
  }

  static let entity = EntityDeclaration(Fan.self, Schema())
}

private final class Cover: ManagedObject, Entity {
  override class var entityName: String { "cover" }

  struct Schema: Sendable {
    let album = ToOne<Album>("album_id", inverse: \.covers)
  }

  static let entity = EntityDeclaration(Cover.self, Schema(), unique: { [[$0.album]] })
}
