import HTTPDownload
import Testing

@testable import FeedImport

@Suite struct ResponseMemoryTests {
  private var memory = ResponseMemory(limit: 100, transfers: 10)
  private let first = TransferID(1)
  private let second = TransferID(2)
  private let third = TransferID(3)

  @Test mutating func `a transfer continues at once while there is memory`() {
    memory.add(90, to: first)
    memory.park([first])
    #expect(memory.takeReady() == [first])
    #expect(memory.takeReady().isEmpty)
  }

  @Test mutating func `only the largest response and small ones continue above the limit`() {
    admit([first, second, third])
    memory.add(70, to: first)
    memory.add(40, to: second)
    memory.add(20, to: third)
    memory.park([first, second, third])
    #expect(memory.takeReady() == [first, third])
    #expect(memory.takeReady().isEmpty)
  }

  @Test mutating func `responses are admitted as long as there is memory for responses of the usual size`() {
    let ids = (1...11).map { TransferID(UInt64($0)) }
    for id in ids { memory.wait(id) }
    #expect(memory.takeReady() == Set(ids.prefix(10)))
    #expect(memory.takeReady().isEmpty)
    memory.add(10, to: first)
    memory.add(-10, to: first)
    #expect(memory.takeReady() == [ids[10]])
  }

  @Test mutating func `the usual size is that of the last responses`() {
    for number in 1...100 {
      memory.add(40, to: TransferID(UInt64(number)))
      memory.add(-40, to: TransferID(UInt64(number)))
    }
    let ids = (200...209).map { TransferID(UInt64($0)) }
    for id in ids { memory.wait(id) }
    // No response takes more than a quarter from the others.
    #expect(memory.takeReady() == Set(ids.prefix(4)))
  }

  @Test mutating func `a response from a slow server keeps no memory that it does not use`() {
    admit((1...10).map { TransferID(UInt64($0)) })
    for number in 20...31 {
      memory.add(10, to: TransferID(UInt64(number)))
      memory.add(-10, to: TransferID(UInt64(number)))
    }
    memory.wait(TransferID(40))
    #expect(memory.takeReady() == [TransferID(40)])
  }

  @Test mutating func `a stalled response keeps no memory from others, and a growing one does`() {
    admit((1...10).map { TransferID(UInt64($0)) })
    let (waiting, last) = (TransferID(40), TransferID(41))
    memory.wait(waiting)
    memory.wait(last)
    memory.markStalled()
    #expect(memory.takeReady().isEmpty)
    for number in 1...9 { memory.add(5, to: TransferID(UInt64(number))) }
    memory.markStalled()
    // The tenth has received nothing since the last examination.
    #expect(memory.takeReady() == [waiting])
    #expect(memory.hasWaiting)
  }

  @Test mutating func `a response that was received while it waited counts until it is saved`() {
    let ids = (1...11).map { TransferID($0) }
    for id in ids { memory.wait(id) }
    #expect(memory.takeReady() == Set(ids.prefix(10)))
    memory.admit(ids[10])
    memory.add(10, to: ids[10])
    memory.wait(TransferID(20))
    memory.add(-10, to: ids[10])
    #expect(memory.takeReady().isEmpty)
    memory.add(0, to: first, isReceived: true)
    #expect(memory.takeReady() == [TransferID(20)])
  }

  @Test mutating func `a transfer that waits when its response is saved gives its slot back`() {
    admit([first, second])
    memory.add(70, to: first)
    memory.add(50, to: second)
    memory.park([second])
    #expect(memory.takeReady().isEmpty)
    memory.add(-50, to: second)
    #expect(memory.takeReady() == [second])
    memory.add(-70, to: first)
    // It has kept nothing.
    let ids = (11...15).map { TransferID($0) }
    admit(ids)
  }

  @Test func `answers without a body do not change the usual size`() {
    var memory = ResponseMemory(limit: 28 << 20, transfers: 64)
    for number in 1...200 { memory.add(0, to: TransferID(UInt64(number)), isReceived: true) }
    for number in 1000..<1256 { memory.wait(TransferID(UInt64(number))) }
    #expect(memory.takeReady().count == 64)
  }

  @Test mutating func `a transfer that is passed on after its response was saved keeps nothing`() {
    let ids = (1...10).map { TransferID($0) }
    admit(ids)
    for id in ids {
      memory.add(10, to: id)
      memory.add(-10, to: id, isReceived: true)
    }
    memory.park(ids)
    #expect(memory.takeReady() == Set(ids))
    admit((11...20).map { TransferID($0) })
  }

  @Test mutating func `a response without memory or saves is over when it was received`() {
    let ids = (1...11).map { TransferID(UInt64($0)) }
    admit(ids.dropLast())
    memory.wait(ids[10])
    #expect(memory.takeReady().isEmpty)
    memory.add(0, to: first, isReceived: true)
    #expect(memory.takeReady() == [ids[10]])
  }

  private mutating func admit(_ ids: [TransferID]) {
    for id in ids { memory.wait(id) }
    #expect(memory.takeReady() == Set(ids))
  }

  @Test mutating func `of the largest responses only the first continues`() {
    admit([first, second])
    memory.add(70, to: first)
    memory.add(70, to: second)
    memory.park([first, second])
    #expect(memory.takeReady() == [first])
  }

  @Test mutating func `a transfer must pause if memory is short and it is neither small nor the largest`() {
    admit([first, second, third])
    memory.add(60, to: first)
    memory.add(40, to: second)
    #expect(continuing([second]) == [second])
    memory.add(1, to: first)
    #expect(continuing([first, second, third]) == [first, third])
    memory.add(10, to: third)
    #expect(continuing([third]) == [third])
  }

  private mutating func continuing(_ ids: [TransferID]) -> [TransferID] {
    var found: [TransferID] = []
    for id in ids where memory.mayContinue(id) { found.append(id) }
    return found
  }

  /// What was received before the pause is still parsed. Two responses of nearly the same size took turns, and both grew.
  @Test mutating func `the largest response stays the preferred one until it is saved`() {
    memory.add(70, to: first)
    memory.add(60, to: second)
    memory.add(20, to: second)
    memory.park([first, second])
    #expect(memory.takeReady() == [first])
    memory.add(-70, to: first)
    #expect(memory.takeReady() == [second])
  }

  @Test
  mutating func `a response that stalls above the limit lets another one continue, up to twice the limit`() {
    admit([first, second, third])
    memory.add(70, to: first)
    memory.add(60, to: second)
    memory.add(30, to: third)
    memory.park([second, third])
    #expect(memory.takeReady().isEmpty)
    memory.markStalled()
    memory.markStalled()
    #expect(memory.takeReady() == [second])
    // It stalls too, and now all need more than twice the limit.
    memory.add(50, to: second)
    memory.markStalled()
    memory.markStalled()
    #expect(memory.takeReady().isEmpty)
  }

  @Test mutating func `the others continue in the order of their size as responses end`() {
    memory.add(70, to: first)
    memory.add(60, to: second)
    memory.add(50, to: third)
    memory.park([second, third])
    #expect(memory.takeReady().isEmpty)
    memory.add(-70, to: first)
    #expect(memory.takeReady() == [second])
    memory.add(-60, to: second)
    #expect(memory.takeReady() == [third])
  }

  /// A feed that had more memory than another feed of the same transfer, but had not paused it, kept both waiting.
  @Test mutating func `the memory of a response is that of all its feeds, and any of them can pause it`() {
    memory.add(40, to: first)
    memory.add(41, to: first)
    memory.add(45, to: second)
    memory.park([first])
    #expect(memory.takeReady() == [first])
  }

  @Test mutating func `a response that has ended holds no memory`() {
    memory.add(200, to: first)
    memory.add(-200, to: first)
    memory.park([first])
    memory.add(60, to: second)
    memory.add(60, to: third)
    #expect(memory.takeReady() == [first])
  }
}
