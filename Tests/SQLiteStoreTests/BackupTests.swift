import Foundation
import ManagedContext
@testable import SQLiteStore
import TestSupport
import Testing
import Threading

@Suite struct BackupTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
  }

  @Test func `a copy that is interrupted leaves nothing`() async throws {
    let store = try file.open(model)
    let text = String(repeating: "Orlando ", count: 100_000)
    for _ in 0..<60 { try store.insert([(0, [.text(text)])]) }
    let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
    let copy = file.path + ".copy"
    let copied = {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".copy") }
    }
    // One that has ended before anybody could interrupt it says nothing.
    var isInterrupted = false
    for _ in 0..<50 where !isInterrupted {
      let hasEnded = Monitor(false)
      let copying = Task.detached {
        defer { hasEnded.update { $0 = true } }
        return Result { () throws(StoreError) in try store.backup(to: copy) }
      }
      // Again and again: what is not yet copying is not interrupted.
      while !hasEnded.update({ $0 }) {
        store.interrupt()
        await Task.yield()
      }
      do {
        try await copying.value.get()
        try FileManager.default.removeItem(atPath: copy)
      } catch {
        isInterrupted = true
      }
    }
    #expect(isInterrupted)
    #expect(try copied() == [])
    #expect(try store.count(StoreQuery(entity: 0)) == 60)
  }
}
