import Foundation
import TestSupport
import Testing

@testable import ManagedContext

/// The values that a new type of an attribute has, without code.
@Suite struct ConversionTests {
  private enum Level: Int, CaseIterable, AttributeConvertible { case low, high }

  @Test(
    arguments: [
      ("1.0", .integer(1)), ("120e-1", .integer(12)), ("5.", .integer(5)), ("-0.0e5", .integer(0)),
      (" 1e18\n", .integer(1_000_000_000_000_000_000)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775809", nil), ("9223372036854775808", nil), ("1.0000000000000000001", nil),
      ("1e-999", nil), ("1e19", nil), ("0x10", nil), ("nan", nil), ("", nil), ("-", nil), ("1e", nil),
    ] as [(String, AttributeValue?)])
  func `a text becomes the whole number that it writes, and no other`(text: String, number: AttributeValue?) {
    #expect(AttributeValue.text(text).converted(to: .integer) == number)
  }

  @Test(
    arguments: [
      ("0.1", .real(0.1)), ("1.2345678901234567e+18", .real(1.2345678901234567e+18)), ("0e9", .real(0)),
      ("5e-324", .real(.leastNonzeroMagnitude)), ("1e-999", nil), ("1e999", nil), ("inf", nil),
    ] as [(String, AttributeValue?)])
  func `a text becomes the nearest floating-point number, unless that is 0 or infinite`(
    text: String, number: AttributeValue?
  ) {
    #expect(AttributeValue.text(text).converted(to: .real) == number)
  }

  @Test(arguments: [AttributeType.real, .secondsSince1970, .date])
  func `a whole number becomes a floating-point number if that is exact`(type: AttributeType) {
    #expect(AttributeValue.integer(9_007_199_254_740_993).converted(to: type) == nil)
    #expect(AttributeValue.integer(.max).converted(to: type) == nil)
    #expect(AttributeValue.integer(9_007_199_254_740_992).converted(to: type) != nil)
    #expect(AttributeValue.integer(.min).converted(to: type) != nil)
  }

  @Test(
    arguments: [
      (.integer(2), 1), (.real(0.5), 1), (.real(-0.0), 0), (.real(.infinity), 1), (.text("0.5"), 1),
      (.text("0.0"), 0),
    ] as [(AttributeValue, Int64)])
  func `only 0 is false`(number: AttributeValue, truth: Int64) {
    #expect(number.converted(to: .boolean) == .integer(truth))
  }

  private static func model(_ version: Int, _ value: PropertyDescription, _ migrations: [Migration] = [])
    -> ManagedObjectModel
  {
    ManagedObjectModel(
      version: version, entities: [EntityDescription("thing", properties: [value])], migrations: migrations)
  }

  /// Writes values of one type, opens the store with another one, and returns the refused values' texts.
  private func refused(
    _ kind: StoreKind, _ values: [AttributeValue], _ old: PropertyDescription, _ new: PropertyDescription,
    _ migrations: [Migration] = []
  ) throws -> [String] {
    let place = try StorePlace(kind)
    let model = Self.model(1, old)
    try place.open(model).insert(values.map { (0, [$0]) })
    let error = #expect(throws: StoreError.self) { try place.open(Self.model(2, new, migrations)) }
    #expect(
      try place.open(model).values(0, model).values.map { "\($0[0])" }.sorted()
        == values.map { "\($0)" }.sorted())
    return error?.violations.map { "\($0)" } ?? []
  }

  @Test(arguments: StoreKind.lasting)
  func `a value that the new type does not read is named with its row, and nothing is changed`(
    kind: StoreKind
  )
    throws
  {
    let text = PropertyDescription.attribute("value", String.self)
    let id = "00000000-0000-0000-0000-000000000001"
    #expect(
      try refused(kind, [.text(id)], text, .attribute("value", UUID.self)) == [
        "thing.value of object 1 has the type bytes, and “\(id)” cannot be converted to it"
      ])
    #expect(
      try refused(kind, [.text("1"), .text("7")], text, .attribute("value", Level?.self)) == [
        "thing.value of object 2 has the type integer, and “7” cannot be converted to it"
      ])
  }

  @Test(arguments: StoreKind.lasting, [false, true])
  func `a whole number that loses digits is named with its row`(kind: StoreKind, isByCode: Bool) throws {
    let code = Migration(to: 2) { migration in
      try migration.update("thing") { old, new in new["value"] = try old["value", as: Int.self] }
    }
    #expect(
      try refused(
        kind, [.integer(1), .integer(9_007_199_254_740_993)], .attribute("value", Int.self),
        .attribute("value", Double.self), isByCode ? [code] : []
      ) == [
        "thing.value of object 2 has the type real, and 9007199254740993 cannot be converted to it"
      ])
  }

  @Test(.enabled(if: StoreKind.allCases.contains(.postgresql)))
  func `a text that a server cannot keep is named with its row`() throws {
    #expect(
      try refused(
        .postgresql, [.bytes([0x61]), .bytes([0x61, 0])], .attribute("value", [UInt8].self),
        .attribute("value", String.self)
      ) == ["thing.value of object 2: contains U+0000, which PostgreSQL cannot keep"])
  }
}
