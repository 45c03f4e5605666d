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

  @Test func `an interrupted copy leaves no file`() throws {
    let store = try file.open(model)
    let text = String(repeating: "Orlando ", count: 100_000)
    for _ in 0..<60 { try store.insert([(0, [.text(text)])]) }
    let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
    let copy = file.path + ".copy"
    let copied = {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".copy") }
    }
    // A copy that ended before the interrupt throws no error.
    var isInterrupted = false
    for _ in 0..<50 where !isInterrupted {
      let hasEnded = Locked(false)
      // Interrupts repeatedly, because a copy that has not begun ignores it. The thread is separate, so no other test
      // delays it.
      let interrupter = try OwnThread(name: "interrupter") {
        while !hasEnded.withLock({ $0 }) { store.interrupt() }
      }
      let result = Result { () throws(StoreError) in try store.backup(to: copy) }
      hasEnded.withLock { $0 = true }
      interrupter.join()
      do {
        try result.get()
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
