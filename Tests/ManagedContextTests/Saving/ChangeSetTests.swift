import ManagedContext
import TestSupport
import Testing

@Suite struct ChangeSetTests {
  @Test func `the size of a change set counts the text of its objects`() throws {
    let text = String(repeating: "x", count: 100_000)
    let id = ManagedObjectID(entity: Library.author, store: .none, key: -1)
    var changes = ChangeSet(mergePolicy: .error)
    changes.insertions = [.init(id: id, values: [.text(text), .null])]
    #expect((100_000..<101_000).contains(changes.byteCount))
    changes.updates = [
      .init(id: id, edited: [1], values: [.null, .text(text)], base: [.null, .null], version: 1)
    ]
    #expect((200_000..<202_000).contains(changes.byteCount))
  }
}
