import ManagedContext
import TestSupport
import Testing

/// Names of tables and columns that have another meaning after a migration.
@Suite struct ReusedNamesTests {
  private static let title = PropertyDescription.attribute("title", String?.self)
  private static let visit = EntityDescription("visit", properties: [.reference("first_id", to: "first")])
  private static let old = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription("first", properties: [title]), EntityDescription("second", properties: [title]),
      visit,
    ])

  /// The model without the first entity, whose name the second one has.
  private static let new = ManagedObjectModel(
    version: 2, entities: [EntityDescription("first", properties: [title], renamedFrom: "second"), visit])

  private func place(_ kind: StoreKind, _ rows: [(entity: EntityIndex, values: [AttributeValue])] = [])
    throws -> StorePlace
  {
    let place = try StorePlace(kind)
    try place.open(Self.old).insert([(0, [.text("removed")]), (1, [.text("kept")])] + rows)
    return place
  }

  private func reference(_ entity: EntityIndex, _ number: Int64) -> AttributeValue {
    .reference(ManagedObjectID(entity: entity, store: .none, key: -number))
  }

  @Test(arguments: StoreKind.lasting)
  func `a reference to a removed entity leads to the entity that has its name now`(kind: StoreKind) throws {
    let place = try place(kind, [(2, [.null])])
    let store = try place.open(Self.new)
    #expect(try store.values(0, Self.new) == [1: [.text("kept")]])
    try store.insert([(0, [.text("added")]), (1, [reference(0, 1)])])
    #expect(try store.values(1, Self.new) == [1: [.null], 2: [.integer(2)]])
    #expect(try place.damage(store) == [])
  }

  @Test(arguments: StoreKind.lasting)
  func `rows that refer to a removed entity are refused, although its name is used again`(kind: StoreKind)
    throws
  {
    let place = try place(kind, [(2, [reference(0, 1)])])
    let error = #expect(throws: StoreError.self) { try place.open(Self.new) }
    #expect(error?.violations.map(\.attribute) == ["first_id"])
    #expect(error?.violations.map(\.object?.key) == [1])
    #expect(try place.open(Self.old).count(StoreQuery(entity: 0)) == 1)
  }

  @Test(arguments: StoreKind.lasting)
  func `the first of several attributes with the same old name gets its values`(kind: StoreKind) throws {
    let model = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription(
          "first",
          properties: [
            .attribute("name", String?.self, renamedFrom: "title"),
            .attribute("caption", String.self, default: "none", renamedFrom: "title"),
          ])
      ])
    let place = try place(kind)
    #expect(try place.open(model).values(0, model) == [1: [.text("removed"), .text("none")]])
  }
}
