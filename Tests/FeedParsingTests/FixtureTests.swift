import Foundation
import TestSupport
import Testing

/// Serialized: each test takes long, and in parallel they would delay the tests that wait for a network.
@Suite(.serialized) struct FixtureTests {
  @Test func `there are fixtures`() {
    #expect(Fixture.all.count >= 20)
  }

  @Test(arguments: Fixture.all)
  func `a fixture parses to its golden file`(fixture: Fixture) throws {
    let (actual, expected) = (try fixture.parse(), try fixture.expected)
    #expect(String(decoding: actual, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(actual)) }
  }

  @Test(arguments: Fixture.all, [1, 3, 7, 64, 4096])
  func `a feed parses the same however it is cut into chunks`(fixture: Fixture, size: Int) throws {
    #expect(try fixture.parse(chunkSizes: [size]) == fixture.expected)
  }

  @Test(arguments: Fixture.all, 0..<3 as Range<UInt64>)
  func `a feed parses the same in chunks of any sizes`(fixture: Fixture, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sizes = (0..<31).map { _ in Int.random(in: 1...200, using: &random) }
    #expect(try fixture.parse(chunkSizes: sizes) == fixture.expected)
  }

  @Test(arguments: Fixture.all)
  func `a truncated feed has only complete items`(fixture: Fixture) throws {
    let bytes = try fixture.bytes
    let whole = Fixture.items(of: try fixture.parse())
    for end in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 20)) {
      let items = Fixture.items(of: Fixture.line(Array(bytes[..<end])))
      #expect(items.count <= whole.count)
      for (index, item) in items.enumerated() where index < whole.count { #expect(item == whole[index]) }
    }
  }
}

extension Fixture {
  /// The items of a line, each as canonical JSON.
  static func items(of line: [UInt8]) -> [String] {
    let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
    return (object?["items"] as? [Any] ?? []).map { item in
      let data = try? JSONSerialization.data(withJSONObject: item, options: .sortedKeys)
      return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}
