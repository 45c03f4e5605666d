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

  @Test mutating func `only the largest response and those within their share continue above the limit`() {
    memory.add(70, to: first)
    memory.add(40, to: second)
    memory.add(10, to: third)
    memory.park([first, second, third])
    #expect(memory.takeReady() == [first, third])
    #expect(memory.takeReady().isEmpty)
  }

  @Test mutating func `of the largest responses only the first continues`() {
    memory.add(70, to: first)
    memory.add(70, to: second)
    memory.park([first, second])
    #expect(memory.takeReady() == [first])
  }

  @Test mutating func `a transfer must pause if memory is short and it is neither small nor the largest`() {
    memory.add(60, to: first)
    memory.add(40, to: second)
    #expect(memory.mayContinue(second))
    memory.add(1, to: first)
    #expect(memory.mayContinue(first) && !memory.mayContinue(second) && memory.mayContinue(third))
    memory.add(10, to: third)
    #expect(memory.mayContinue(third))
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
