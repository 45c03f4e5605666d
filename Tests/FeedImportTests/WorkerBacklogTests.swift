import HTTPDownload
import Testing

@testable import FeedImport

@Suite struct WorkerBacklogTests {
  private var backlog = WorkerBacklog()
  private let first = TransferID(1)
  private let second = TransferID(2)
  private let little = WorkerBacklog.resumesBelow - 1

  @Test mutating func `a worker is crowded while more bytes wait than it may have`() {
    let isCrowdedByAll = backlog.add(WorkerBacklog.crowdedAbove)
    let isCrowdedByMore = backlog.add(1)
    _ = backlog.remove(2, resumable: nil)
    let isStillCrowded = backlog.add(1)
    #expect([isCrowdedByAll, isCrowdedByMore, isStillCrowded] == [false, true, false])
  }

  @Test mutating func `a transfer resumes at once while little waits`() {
    _ = backlog.add(little + 10)
    let (resumed, next) = (backlog.remove(10, resumable: first), backlog.remove(10, resumable: nil))
    #expect(resumed == [first])
    #expect(next.isEmpty)
  }

  @Test mutating func `transfers resume together, once little waits`() {
    _ = backlog.add(little + 30)
    let resumed = [first, second, nil, nil].map { backlog.remove(10, resumable: $0) }
    #expect(resumed == [[], [], [first, second], []])
  }

  @Test mutating func `no transfer is left when the worker has parsed everything`() {
    _ = backlog.add(WorkerBacklog.crowdedAbove)
    let resumed = backlog.remove(WorkerBacklog.crowdedAbove, resumable: first)
    #expect(resumed == [first])
  }

  @Test func `a feed goes to the worker for which the fewest bytes wait`() {
    #expect([0, 1].map { FeedTransfer.leastBusy([0, 0], usual: $0) } == [0, 1])
    #expect([0, 1].map { FeedTransfer.leastBusy([7, 5], usual: $0) } == [1, 1])
    #expect([0, 1, 2].map { FeedTransfer.leastBusy([3, 9, 3], usual: $0) } == [0, 0, 2])
  }
}
