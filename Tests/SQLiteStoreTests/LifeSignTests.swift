import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

@Suite struct LifeSignTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])
  private static let number: Int64 = 1 << 40

  init() throws {
    file = try TableStore()
  }

  private func open(_ path: String? = nil) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(path: path ?? file.path, model: model, identity: TableStore.identity)
  }

  @Test func `a number has a sign of life for everybody who uses the file, until it is released`() throws {
    let (mine, other) = (try open(), try open())
    #expect(try !other.hasLifeSign(Self.number))
    do {
      let sign = try mine.beginLifeSign(Self.number)
      #expect(try mine.hasLifeSign(Self.number) && other.hasLifeSign(Self.number))
      #expect(try !other.hasLifeSign(Self.number + 1))
      #expect(throws: StoreError.self) { try other.beginLifeSign(Self.number) }
      withExtendedLifetime(sign) {}
    }
    #expect(try !mine.hasLifeSign(Self.number) && !other.hasLifeSign(Self.number))
  }

  @Test func `a link to the file is the same store`() throws {
    let link = file.path + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
    let sign = try open().beginLifeSign(Self.number)
    #expect(try open(link).hasLifeSign(Self.number))
    withExtendedLifetime(sign) {}
  }

  @Test func `a file of locks that cannot be created is reported with its path`() throws {
    let store = try open()
    try FileManager.default.createDirectory(
      atPath: ByteLock.path(ofStore: file.path), withIntermediateDirectories: false)
    let error = #expect(throws: StoreError.self) { try store.beginLifeSign(Self.number) }
    #expect(error?.description.contains("-locks: cannot be opened: Is a directory") == true)
  }

  @Test func `a store in memory has the signs of this process`() throws {
    let store = InMemoryStore(model: model)
    do {
      let sign = try store.beginLifeSign(Self.number)
      #expect(try store.hasLifeSign(Self.number) && !InMemoryStore(model: model).hasLifeSign(Self.number))
      withExtendedLifetime(sign) {}
    }
    #expect(try !store.hasLifeSign(Self.number))
  }
}
