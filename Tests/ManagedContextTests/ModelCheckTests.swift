import ManagedContext
import TestSupport
import Testing

/// An inconsistent model stops the program when it is created.
@Suite struct ModelCheckTests {
  private func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func `a key with another property's path is named`() async {
    let attribute = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription(
        "page", class: Page.self,
        properties: [.attribute(Page.number, \Page.size), .attribute(Page.size, \Page.number)])
    }
    #expect(message(of: attribute).contains("page.number: its path leads to a property that has another key"))
    let toMany = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription(
        "page", class: Page.self,
        properties: [
          .manyToMany(Page.friends, \Page.enemies, inverse: Page.enemies),
          .manyToMany(Page.enemies, \Page.friends, inverse: Page.friends),
        ])
    }
    #expect(message(of: toMany).contains("page.friends: its path leads to a property that has another key"))
    let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription(
        "page", class: Page.self, properties: [.attribute(AttributeKey<String>(0, "name"), \Author.name)])
    }
    #expect(message(of: foreign).contains("page.name: its path leads to a property of another class"))
  }

  @Test func `a class with another entity name is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription("leaf", class: Page.self, properties: [.attribute(Page.number, \Page.number)])
    }
    #expect(message(of: result).contains("the entity leaf has the class Page, whose entityName is “page”"))
  }

  @Test func `two attributes with one name are named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription(
        "leaf", properties: [.attribute("side", Int.self), .attribute("side", String.self)])
    }
    #expect(message(of: result).contains("leaf.side is declared twice"))
  }

  @Test func `an empty constraint, and an attribute listed twice in one, are named`() async {
    let empty = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription("leaf", properties: [.attribute("side", Int.self)], uniqueness: [[]])
    }
    #expect(message(of: empty).contains("leaf: a list of attributes in uniqueness is empty"))
    let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription(
        "leaf", properties: [.attribute("side", Int.self)], uniqueness: [["side", "side"]])
    }
    #expect(message(of: twice).contains("leaf: uniqueness lists side twice"))
    let index = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EntityDescription("leaf", properties: [.attribute("side", Int.self)], indexes: [["side", "side"]])
    }
    #expect(message(of: index).contains("leaf: indexes lists side twice"))
  }

  @Test func `a class or a name that a model lists twice is named`() async {
    let type = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ManagedObjectModel(version: 1, entities: [Loan.self, Book.self, Author.self, Tag.self, Book.self])
    }
    #expect(message(of: type).contains("the class Book is listed twice in the model"))
    let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let leaf = EntityDescription("leaf", properties: [.attribute("side", Int.self)])
      _ = ManagedObjectModel(version: 1, entities: [leaf, leaf])
    }
    #expect(message(of: name).contains("two entities in the model have the name leaf"))
  }

  @Test func `a property that the class has already is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ManagedObjectModel(version: 1, entities: [Draft.self])
    }
    #expect(message(of: result).contains("draft: every object has a property isDeleted"))
  }

  @Test func `inverses that do not match are named`() async {
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let entity = EntityDescription(
        "page", class: Page.self,
        properties: [
          .manyToMany(Page.friends, \Page.friends, inverse: Page.enemies),
          .manyToMany(Page.enemies, \Page.enemies, inverse: Page.enemies),
        ])
      _ = ManagedObjectModel(version: 1, entities: [entity])
    }
    #expect(message(of: other).contains("page.friends has the inverse page.enemies, which has another one"))
    let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let entity = EntityDescription(
        "page", class: Page.self,
        properties: [.manyToMany(Page.friends, \Page.friends, inverse: Page.friends)])
      _ = ManagedObjectModel(version: 1, entities: [entity])
    }
    #expect(message(of: own).contains("page.friends is its own inverse"))
  }
}

private final class Page: ManagedObject {
  override class var entityName: String { "page" }

  static let number = AttributeKey<Int>(0, "number")
  static let size = AttributeKey<Int>(1, "size")
  static let friends = ToManyKey<Page>(0, "friends")
  static let enemies = ToManyKey<Page>(1, "enemies")

  var number: Int { self[Self.number] }
  var size: Int { self[Self.size] }
  var friends: [Page] { self[Self.friends] }
  var enemies: [Page] { self[Self.enemies] }
}

private final class Draft: ManagedObject, Entity {
  override class var entityName: String { "draft" }

  struct Schema: Sendable {
    let isDeleted = Attribute<Bool>("is_deleted", default: false)
  }

  static let entity = EntityDeclaration(Draft.self, Schema())
}
