import Foundation
import ManagedContext
import TestSupport
import Testing

/// The types of values that attributes can have besides numbers, texts, bytes and dates.
@Suite struct ValueTypeTests {
  private static let model = ManagedObjectModel(version: 1, entities: [Parcel.self])

  /// Saves three parcels in a store, and returns a new context.
  private func context(_ kind: StoreKind) throws -> (context: ManagedObjectContext, place: (any Sendable)?) {
    let (store, place) = try kind.makeStore(Self.model)
    let coordinator = PersistentStoreCoordinator(model: Self.model, store: store)
    let context = ManagedObjectContext(parent: coordinator)
    for (number, name) in ["a", "b", "c"].enumerated() {
      let parcel = context.insert(Parcel.self)
      (parcel.name, parcel.kind, parcel.level) = (name, .allCases[number], .allCases[2 - number])
      parcel.number = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)"))
      parcel.content = Data([UInt8(number), 255])
      parcel.page = try #require(URL(string: "https://example.org/\(number)?a=%C3%A4"))
      parcel.price = try #require(Decimal(string: "\(number * 9).1"))
      parcel.tags = JSONValue([name, "\""])
      parcel.size = number == 0 ? nil : JSONValue(Size(width: number, date: Date(timeIntervalSince1970: 5.5)))
    }
    try context.save()
    return (ManagedObjectContext(parent: coordinator), place)
  }

  @Test(arguments: StoreKind.allCases)
  func `a value is the same after it was stored`(kind: StoreKind) throws {
    let (context, place) = try context(kind)
    let parcel = try #require(try context.fetch(FetchRequest(Parcel.self, where: \.name == "b")).first)
    #expect(parcel.kind == .box && parcel.level == .middle)
    #expect(parcel.number.uuidString.hasSuffix("1") && parcel.content == Data([1, 255]))
    #expect(parcel.page.absoluteString == "https://example.org/1?a=%C3%A4")
    #expect(parcel.price == Decimal(string: "9.1"))
    #expect(parcel.tags.content == ["b", "\""])
    #expect(parcel.size?.content == Size(width: 1, date: Date(timeIntervalSince1970: 5.5)))
    #expect(!parcel.hasChanges)
    parcel.tags = JSONValue(["b", "\""])
    parcel.price = 9 + 1 / 10
    #expect(!parcel.hasChanges, "an equal value is not a change")
    withExtendedLifetime(place) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `requests compare and sort stored values, and unsaved ones in the same way`(kind: StoreKind) throws {
    let (context, place) = try context(kind)
    func names(_ predicate: FetchPredicate<Parcel>) throws -> [String] {
      try context.fetch(FetchRequest(Parcel.self, where: predicate, sortedBy: [.ascending(\.name)])).map(
        \.name)
    }
    for isUnsaved in [false, true] {
      if isUnsaved { for parcel in try context.fetch(FetchRequest(Parcel.self)) { parcel.name += "" + "!" } }
      let all = try names(.constant(true))
      #expect(try names(\.kind == .box) == [all[1]])
      #expect(try names(.among(\.kind, [.letter, .crate])) == [all[0], all[2]])
      #expect(try names(\.level > .low) == [all[0], all[1]])
      #expect(
        try names(\.number == #require(UUID(uuidString: "00000000-0000-0000-0000-000000000002"))) == [all[2]])
      #expect(try names(\.content == Data([0, 255])) == [all[0]])
      #expect(try names(\.page == #require(URL(string: "https://example.org/1?a=%C3%A4"))) == [all[1]])
      #expect(try names(\.price == #require(Decimal(string: "9.1"))) == [all[1]])
      #expect(try names(\.price < 10) == [all[0], all[1]], "numbers, not texts, are compared")
      #expect(try names(\.tags == JSONValue(["c", "\""])) == [all[2]])
      #expect(try names(\.size == nil) == [all[0]])
    }
    #expect(
      try context.fetch(FetchRequest(Parcel.self, sortedBy: [.descending(\.price)])).map(\.price)
        == [Decimal(string: "18.1"), Decimal(string: "9.1"), Decimal(string: "0.1")])
    #expect(
      try context.fetch(FetchRequest(Parcel.self, sortedBy: [.ascending(\.level)])).map(\.level) == [
        .low, .middle, .high,
      ])
    withExtendedLifetime(place) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch sets such values`(kind: StoreKind) throws {
    let (context, place) = try context(kind)
    try context.updateAll(Parcel.self, set: .set(\.kind, to: .crate), .set(\.tags, to: JSONValue([])))
    try context.save()
    #expect(try context.count(FetchRequest(Parcel.self, where: \.kind == .crate)) == 3)
    #expect(try context.fetchValues(FetchRequest(Parcel.self), distinct: \.tags) == [JSONValue([])])
    withExtendedLifetime(place) {}
  }

  /// Gives a stored parcel values as another program may write them.
  private func foreign(_ values: [Int: AttributeValue]) throws -> Parcel {
    let store = InMemoryStore(model: Self.model)
    let coordinator = PersistentStoreCoordinator(model: Self.model, store: store)
    var row = Self.model.entities[0].attributes.map { _ in AttributeValue.null }
    for (index, value) in values { row[index] = value }
    var changes = ChangeSet(mergePolicy: .error, author: nil)
    changes.insertions = [.init(id: ManagedObjectID(entity: 0, store: .none, key: -1), values: row)]
    _ = try store.write([changes])[0].get()
    return try #require(
      try ManagedObjectContext(parent: coordinator).fetch(FetchRequest(Parcel.self)).first)
  }

  @Test func `a value that cannot be read is the placeholder, or nil in an optional attribute`() throws {
    let schema = Parcel.schema
    let parcel = try foreign([
      schema.kind.index: .text("drone"), schema.rare.index: .text("drone"), schema.level.index: .integer(77),
      schema.number.index: .bytes([1, 2]), schema.page.index: .text("https://exämple.org"),
      schema.price.index: .real(.infinity), schema.tags.index: .text("[1, 2"), schema.size.index: .text("[]"),
    ])
    #expect(parcel.kind == .letter && parcel.rare == nil && parcel.level == .low)
    #expect(parcel.number == .placeholder && parcel.page.absoluteString == "about:blank" && parcel.price == 0)
    #expect(parcel.tags.content == nil && parcel.tags.attributeValue == .text("[1, 2"))
    #expect(parcel.size != nil && parcel.size?.content == nil)
  }

  @Test func `JSON nested too deeply for a decoder is unreadable, and stays as it is`() throws {
    let text = String(repeating: "[", count: 100_000)
    let parcel = try foreign([Parcel.schema.tags.index: .text(text)])
    #expect(parcel.tags.content == nil && parcel.tags.attributeValue == .text(text))
  }

  @Test func `content that cannot be encoded is refused by the save`() throws {
    let store = InMemoryStore(model: Self.model)
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Self.model, store: store))
    let parcel = context.insert(Parcel.self)
    parcel.weight = JSONValue([.infinity])
    let refused = ValidationError(
      entity: "parcel", attribute: "weight", object: parcel.id, cause: .wrongType(expected: .text))
    #expect(throws: StoreError.validation(refused)) { try context.save() }
    parcel.weight = JSONValue([1.5])
    try context.save()
  }

  @Test(arguments: [
    "0", "0.1", "-0.1", "1234567890.12345", "99999999999999.9", "123456789012345", "0.00000000012", "1e20",
  ])
  func `a decimal number of 15 digits is exact`(text: String) throws {
    let number = try #require(Decimal(string: text))
    #expect(Decimal(attributeValue: number.attributeValue) == number)
  }

  @Test func `a decimal number that is none is refused`() {
    #expect(Decimal(attributeValue: Decimal.nan.attributeValue) == nil)
  }

  @Test func `the same content has the same text`() {
    #expect(JSONValue(["b": 1, "a": 2]).attributeValue == .text(#"{"a":2,"b":1}"#))
    #expect(JSONValue(["a/b"]).attributeValue == .text(#"["a/b"]"#))
  }
}

private struct Size: Codable, Equatable {
  var width: Int
  var date: Date
}

private final class Parcel: ManagedObject, Entity {
  override class var entityName: String { "parcel" }

  enum Kind: String, Codable, CaseIterable, AttributeConvertible { case letter, box, crate }
  enum Level: Int, CaseIterable, AttributeConvertible { case low, middle, high }

  struct Schema: Sendable {
    let name = Attribute<String>("name", default: "")
    let kind = Attribute<Kind>("kind", default: .letter)
    let rare = Attribute<Kind?>("rare")
    let level = Attribute<Level>("level", default: .low)
    let number = Attribute<UUID>("number", default: UUID.placeholder)
    let content = Attribute<Data>("content", default: Data())
    let page = Attribute<URL>("page", default: URL.placeholder)
    let price = Attribute<Decimal>("price", default: 0)
    let tags = Attribute<JSONValue<[String]>>("tags", default: JSONValue([]))
    let size = Attribute<JSONValue<Size>?>("size")
    let weight = Attribute<JSONValue<[Double]>?>("weight")
  }

  static let entity = EntityDeclaration(Parcel.self, Schema())
}
