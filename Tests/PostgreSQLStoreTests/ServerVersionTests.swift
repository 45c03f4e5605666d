import Foundation
import ManagedContext
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Versions of objects on a server, beside those in a file.
@Suite(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
struct ServerVersionTests {
  private final class Page: ManagedObject {
    override class var entityName: String { "page" }
  }

  private enum Key {
    static let title = AttributeKey<String?>(0, "title")
    static let text = AttributeKey<String?>(1, "text")
    static let kind = AttributeKey<Int?>(2, "kind")
  }

  /// Changes with the note 7 are merged into those before them.
  private static let model: ManagedObjectModel = {
    var history = HistoryOptions()
    history.oldValues = ["title", "text"]
    history.note = "kind"
    history.isMerged = { change, earlier in change.note == 7 && !earlier.isEmpty }
    return ManagedObjectModel(
      version: 1,
      entities: [
        EntityDescription(
          "page", class: Page.self,
          properties: [.attribute(Key.title), .attribute(Key.text), .attribute(Key.kind)],
          history: history)
      ])
  }()

  /// Three versions of a long text differ in a few places, as those of an article do.
  private static func text(_ random: inout SeededGenerator) -> AttributeValue {
    if Int.random(in: 0..<10, using: &random) == 0 { return .null }
    let words = (0..<400).map { _ in Int.random(in: 0..<20, using: &random) == 0 ? "zwölf" : "some" }
    return .text(words.joined(separator: " "))
  }

  private static func changes(_ count: Int, _ random: inout SeededGenerator) -> [[ChangeSet]] {
    (0..<count).map { _ in
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        var changes = ChangeSet(mergePolicy: .error)
        let key = Int64.random(in: 1...3, using: &random)
        var values: [(index: Int, value: AttributeValue)] = [
          (2, .integer(Int64.random(in: 5...8, using: &random)))
        ]
        if Bool.random(using: &random) {
          values.append((0, .text("t\(Int.random(in: 0..<3, using: &random))")))
        }
        if Bool.random(using: &random) { values.append((1, text(&random))) }
        changes.batches = [
          .update(BatchUpdate(entity: 0, predicate: .compare(2, .notEqual, .integer(-key)), values: values))
        ]
        return changes
      }
    }
  }

  private func run(_ store: any PersistentStore, seed: Int) throws -> [String] {
    var random = SeededGenerator(seed: UInt64(seed))
    var first = ChangeSet(mergePolicy: .error)
    first.insertions = (1...3).map {
      .init(
        id: ManagedObjectID(entity: 0, store: .none, key: -$0),
        values: [.text("first"), Self.text(&random), .integer(1)])
    }
    for result in store.write([first]) { _ = try result.get() }
    for group in Self.changes(12, &random) {
      for result in store.write(group) { _ = try result.get() }
    }
    let ids = (1...3).map { ManagedObjectID(entity: 0, store: store.number, key: $0) }
    let history = try store.history(after: nil)
    var found: [String] = []
    for id in ids {
      let versions = try store.versions(of: id)
      for version in versions {
        found.append(
          "\(id.key) \(version.number) \(version.change.attributes.rawValue) \(version.change.note ?? 0) \(version.mergedChanges)"
        )
      }
      for number in 1...versions.count + 1 { found.append("\(try store.values(ofVersion: number, of: id))") }
    }
    for transaction in history {
      let replaced = try store.replacedValues(of: ids, in: transaction.token.number)
      found += ids.map { id in
        let values = replaced[id]?.values.map { "\($0.attribute) \($0.old) \($0.new)" } ?? ["none"]
        return "\(transaction.token.number) \(id.key) \(values)"
      }
    }
    return found
  }

  @Test(arguments: 0..<12)
  func `a server has the versions that a file has`(seed: Int) throws {
    let (file, folder) = try StoreKind.sqlite.makeStore(Self.model)
    let (server, schema) = try StoreKind.postgresql.makeStore(Self.model)
    let (expected, found) = (try run(file, seed: seed), try run(server, seed: seed))
    #expect(found.count == expected.count)
    for (one, other) in zip(found, expected) where one != other {
      #expect(one == other)
      break
    }
    withExtendedLifetime((folder, schema)) {}
  }
}
