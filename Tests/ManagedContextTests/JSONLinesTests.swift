import Foundation
import TestSupport
import Testing

@testable import ManagedContext
import TextOutput

/// An entity with an attribute of each type.
private final class Sample: ManagedObject {
  override class var entityName: String { "sample" }

  enum Key {
    static let text = AttributeKey<String?>(0, "text")
    static let number = AttributeKey<Int?>(1, "number")
    static let real = AttributeKey<Double?>(2, "real")
    static let isRead = AttributeKey<Bool?>(3, "read")
    static let date = AttributeKey<Date?>(4, "date")
    static let bytes = AttributeKey<[UInt8]?>(5, "bytes")
    static let other = AttributeKey<ManagedObjectID?>(6, "other")
  }

  var text: String? { self[Key.text] }
  var number: Int? { self[Key.number] }
  var real: Double? { self[Key.real] }
  var isRead: Bool? { self[Key.isRead] }
  var date: Date? { self[Key.date] }
  var bytes: [UInt8]? { self[Key.bytes] }
  var other: ManagedObjectID? { self[Key.other] }

  static let model = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        entityName, class: Sample.self,
        properties: [
          .attribute(Key.text, \Sample.text), .attribute(Key.number, \Sample.number),
          .attribute(Key.real, \Sample.real), .attribute(Key.isRead, \Sample.isRead),
          .attribute(Key.date, \Sample.date), .attribute(Key.bytes, \Sample.bytes),
          .reference(Key.other, \Sample.other, to: "sample"),
        ])
    ])
}

@Suite struct JSONLinesTests {
  private let context = ManagedObjectContext(
    parent: PersistentStoreCoordinator(model: Sample.model, store: InMemoryStore(model: Sample.model)))

  private func lines(_ request: FetchRequest<Sample> = FetchRequest(Sample.self)) throws -> [String] {
    var written = ""
    try context.exportJSONLines(request, pageSize: 3) { written += $0 }
    return written.split(separator: "\n").map(String.init)
  }

  /// Returns the value that a JSON parser reads for one attribute of one object.
  private func readBack<Value>(_ key: AttributeKey<Value>, _ value: Value) throws -> Any? {
    context.insert(Sample.self)[key] = value
    let line = try #require(try lines().last)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    return object[key.name]
  }

  @Test func `a line contains the number and the attributes in the model's order`() throws {
    let first = context.insert(Sample.self)
    first[Sample.Key.text] = "Emma"
    try context.save()
    let second = context.insert(Sample.self)
    second[Sample.Key.number] = -5
    second[Sample.Key.real] = 2.5
    second[Sample.Key.isRead] = true
    second[Sample.Key.date] = Date(timeIntervalSince1970: 0)
    second[Sample.Key.bytes] = [1, 2, 255]
    second[Sample.Key.other] = first.id
    try context.save()
    #expect(
      try lines() == [
        #"{"id":1,"text":"Emma","number":null,"real":null,"read":null,"date":null,"bytes":null,"other":null}"#,
        #"{"id":2,"text":null,"number":-5,"real":2.5,"read":true,"date":"1970-01-01T00:00:00Z","bytes":"AQL/","other":1}"#,
      ])
  }

  @Test(arguments: [
    "", "\"quoted\" and \\", "\u{0}\u{1}\u{1F}\u{7F}", "line\r\nfeed\ttab\u{8}\u{C}", "a\u{2028}b\u{2029}c",
    "né",
    "ne\u{301}", "😀👨‍👩‍👧", "</script>",
  ]) func `any text survives the round trip on one line`(text: String) throws {
    #expect((try readBack(Sample.Key.text, text) as? String).map { Array($0.utf8) } == Array(text.utf8))
    let line = try #require(try lines().last)
    #expect(!line.contains { $0.isNewline } && !line.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1.5, "1970-01-01T00:00:01.5Z"), (-0.25, "1969-12-31T23:59:59.75Z"),
    (951_782_400, "2000-02-29T00:00:00Z"), (1_700_000_000.123456, "2023-11-14T22:13:20.123456Z"),
    (-2_203_891_200, "1900-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    (253_402_300_800, "+010000-01-01T00:00:00Z"), (-62_167_219_201, "-000001-12-31T23:59:59Z"),
    (59.999_999_9, "1970-01-01T00:01:00Z"),
  ]) func `a date is in UTC, with a fraction only if it has one`(seconds: Double, text: String) throws {
    #expect(try readBack(Sample.Key.date, Date(timeIntervalSince1970: seconds)) as? String == text)
  }

  @Test(arguments: 0..<100) func `dates have the format of Foundation`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let date = Date(
      timeIntervalSince1970: Double(Int.random(in: -12_000_000_000...250_000_000_000, using: &random)))
    #expect(ISODate.text(date.timeIntervalSince1970) == date.formatted(.iso8601))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity]) func `a number that JSON cannot represent is null`(
    real: Double
  )
    throws
  {
    #expect(try readBack(Sample.Key.real, real) is NSNull)
    #expect(try readBack(Sample.Key.date, Date(timeIntervalSince1970: real)) is NSNull)
  }

  @Test(arguments: [0, -0.0, 0.1, 1e300, Double.leastNonzeroMagnitude, -12345.678])
  func `numbers survive the round trip exactly`(real: Double)
    throws
  {
    #expect(try readBack(Sample.Key.real, real) as? Double == real)
  }

  @Test func `lines follow the request's order over many pages, with unsaved changes`() throws {
    for number in 0..<20 { context.insert(Sample.self)[Sample.Key.number] = number }
    try context.save()
    let saved = try context.fetch(FetchRequest(Sample.self, sortedBy: [.ascending(\.number)]))
    saved[3][Sample.Key.number] = 100
    context.delete(saved[4])
    context.insert(Sample.self)[Sample.Key.number] = -1
    let exported = try lines(
      FetchRequest(Sample.self, where: \.number < 101, sortedBy: [.descending(\.number)], limit: 19))
    let expected = [100] + (5..<20).reversed() + [2, 1, 0]
    #expect(exported.count == expected.count)
    for (line, number) in zip(exported, expected) { #expect(line.contains("\"number\":\(number),")) }
  }

  @Test func `a row deleted meanwhile is left out`() throws {
    for number in 0..<6 { context.insert(Sample.self)[Sample.Key.number] = number }
    try context.save()
    var lines = try context.jsonLines(FetchRequest(Sample.self), pageSize: 2)
    _ = try lines.next()
    let other = ManagedObjectContext(parent: context.parent)
    try other.fetch(FetchRequest(Sample.self, where: \.number == 4)).forEach(other.delete)
    try other.save()
    var rest = 0
    while try lines.next() != nil { rest += 1 }
    #expect(rest == 4)
  }

  @Test func `a new object saved meanwhile is written once`() throws {
    for number in 0..<4 { context.insert(Sample.self)[Sample.Key.number] = number }
    var lines = try context.jsonLines(FetchRequest(Sample.self), pageSize: 2)
    var written = [try lines.next()]
    try context.save()
    while let line = try lines.next() { written.append(line) }
    #expect(written.count == 4)
    #expect(written.last??.hasPrefix("{\"id\":4,") == true)
  }

  @Test func `an error of the writer is thrown, and nothing more is written`() throws {
    struct DiskFull: Error {}
    for _ in 0..<3 { _ = context.insert(Sample.self) }
    var count = 0
    #expect(throws: DiskFull.self) {
      try context.exportJSONLines(FetchRequest(Sample.self)) { _ in
        count += 1
        if count == 2 { throw DiskFull() }
      }
    }
    #expect(count == 2)
  }

  @Test func `a class outside the model is refused`() {
    #expect(throws: StoreError.self) { try context.exportJSONLines(FetchRequest(Author.self)) { _ in } }
  }
}
