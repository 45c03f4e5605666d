import ManagedContext
import NewsModel
import Testing
import WebAddress

@testable import FeedImport

@Suite struct PollQueueTests {
  private static func feeds(_ urls: [String]) -> [Claims.Wanted] {
    urls.enumerated().map { place, url in
      let feed = ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: Int64(place + 1))
      return Claims.Wanted(feed, at: WebAddress(url))
    }
  }

  private static let nine = feeds((1...9).map { "https://\($0).example/" })

  /// Returns the sizes of the parts that are claimed with a time between them.
  private func sizes(
    _ queue: inout PollQueue, each times: [Duration], hasRequests: Bool = true
  ) -> [Int] {
    var now = ContinuousClock.now
    return times.map { time in
      now += time
      guard case .claim(let part) = queue.next(at: now) else { return 0 }
      queue.note(held: [], hasRequests: hasRequests)
      return part.count
    }
  }

  @Test func `feeds are taken in parts, in their order`() {
    let feeds = Self.nine
    var queue = PollQueue(WantedFeeds(Array(feeds[0..<5])), smallest: 2)
    let now = ContinuousClock.now
    for (place, part) in [Array(feeds[0..<2]), Array(feeds[2..<4]), [feeds[4]]].enumerated() {
      #expect(queue.next(at: now + .seconds(place)) == .claim(part))
      queue.note(held: [], hasRequests: true)
    }
    #expect(queue.next(at: now) == .end([]))
    queue = PollQueue(WantedFeeds(feeds), smallest: 9)
    #expect(queue.next(at: now) == .claim(feeds))
    queue = PollQueue(WantedFeeds([]), smallest: 9)
    #expect(queue.next(at: now) == .end([]))
  }

  @Test func `parts grow while the run takes them quickly`() {
    var queue = PollQueue(WantedFeeds(Self.nine), smallest: 1)
    #expect(sizes(&queue, each: Array(repeating: .milliseconds(10), count: 4)) == [1, 2, 4, 2])
    queue = PollQueue(WantedFeeds(Self.nine), smallest: 1)
    #expect(
      sizes(&queue, each: [.zero, .milliseconds(100), .seconds(2), .milliseconds(100), .seconds(7)])
        == [1, 2, 1, 2, 1])
    // Parts that other runs have already polled say nothing about the speed of this one.
    queue = PollQueue(WantedFeeds(Self.nine), smallest: 1)
    #expect(
      sizes(&queue, each: Array(repeating: .zero, count: 4), hasRequests: false) == [1, 1, 1, 1])
  }

  @Test func `all feeds of a publisher are in one part`() {
    let feeds = Self.feeds([
      "https://a.example/1", "https://b.example/1", "https://c.example/1", "https://a.example/2",
      "http://a.example/3", "https://a.example:8443/4", "https://a.example/5",
    ])
    var queue = PollQueue(WantedFeeds(feeds), smallest: 2)
    let now = ContinuousClock.now
    for (place, part) in [[0, 3, 6], [1, 2], [4, 5]].enumerated() {
      #expect(queue.next(at: now + .seconds(place)) == .claim(part.map { feeds[$0] }))
      queue.note(held: [], hasRequests: true)
    }
  }

  @Test func `a part has as many publishers as its transfers need`() {
    let feeds = Self.feeds(
      (0..<10).flatMap { publisher in (0..<8).map { "https://\(publisher).example/\($0)" } })
    var queue = PollQueue(WantedFeeds(feeds), first: 10, smallest: 2, perPublisher: 4)
    let now = ContinuousClock.now
    for part in [0..<24, 24..<48, 48..<64] {
      #expect(queue.next(at: now + .seconds(part.lowerBound)) == .claim(Array(feeds[part])))
      queue.note(held: [], hasRequests: true)
    }
  }

  @Test func `beside other runs, the parts after the first one are small`() {
    let feeds = Self.nine
    var queue = PollQueue(WantedFeeds(feeds), first: 3, smallest: 1)
    let now = ContinuousClock.now
    // Another run has the publishers of the first part.
    #expect(queue.next(at: now) == .claim(Array(feeds[0..<3])))
    queue.note(held: Array(feeds[0..<3]), hasRequests: false)
    #expect(queue.next(at: now) == .claim(Array(feeds[3..<6])))
    queue.note(held: [], hasRequests: true)
    #expect(queue.next(at: now) == .claim([feeds[6]]))
    // A run that was alone at first notices others later.
    queue = PollQueue(WantedFeeds(feeds), first: 3, smallest: 1)
    #expect(queue.next(at: now) == .claim(Array(feeds[0..<3])))
    queue.note(held: [], hasRequests: true)
    #expect(queue.next(at: now) == .claim(Array(feeds[3..<6])))
    queue.note(held: Array(feeds[3..<6]), hasRequests: false)
    #expect(queue.next(at: now) == .claim([feeds[6]]))
  }

  @Test func `the feeds of a large publisher are taken in pieces, each when few of the last one are left`() {
    let large = Self.feeds((0..<40).map { "https://a.example/\($0)" } + ["https://b.example/"])
    var queue = PollQueue(WantedFeeds(large), smallest: 1)
    var open = 0
    let polls = { (publisher: String) in publisher == "https://a.example:443" ? open : 0 }
    let now = ContinuousClock.now
    func next() -> PollQueue.Step {
      let step = queue.next(at: now + .seconds(9), openPolls: polls)
      queue.note(held: [], hasRequests: true)
      return step
    }
    #expect(next() == .claim(Array(large[0..<16])))
    // Other publishers do not wait for it.
    open = PollQueue.crowd + 1
    #expect(next() == .claim([large[40]]))
    #expect(next() == .waitForPolls(.milliseconds(50)))
    #expect(next() == .waitForPolls(.milliseconds(50)))
    open = PollQueue.crowd
    #expect(next() == .claim(Array(large[16..<32])))
    #expect(next() == .claim(Array(large[32..<40])))
    #expect(next() == .end([]))
  }

  @Test func `publishers that other runs hold are tried once more after the others`() {
    let feeds = Self.nine
    var queue = PollQueue(WantedFeeds(Array(feeds[0..<3])), smallest: 1)
    let now = ContinuousClock.now
    #expect(queue.next(at: now) == .claim([feeds[0]]))
    queue.note(held: [feeds[0]], hasRequests: false)
    #expect(queue.next(at: now) == .claim([feeds[1]]))
    queue.note(held: [], hasRequests: true)
    #expect(queue.next(at: now + .seconds(1)) == .claim([feeds[2]]))
    queue.note(held: [feeds[2]], hasRequests: false)
    #expect(queue.next(at: now + .seconds(2)) == .claim([feeds[0]]))
    queue.note(held: [feeds[0]], hasRequests: false)
    #expect(queue.next(at: now + .seconds(3)) == .claim([feeds[2]]))
    queue.note(held: [feeds[2]], hasRequests: false)
    #expect(queue.next(at: now + .seconds(4)) == .end([feeds[0], feeds[2]]))
    queue.forEachLeft { Issue.record("\($0) is left after the end") }
  }

  @Test func `publishers are tried again after each success`() {
    let feeds = Array(Self.nine[0..<2])
    var queue = PollQueue(WantedFeeds(feeds), smallest: 2)
    let now = ContinuousClock.now
    for held in [feeds, [feeds[1]], []] {
      guard case .claim = queue.next(at: now) else {
        Issue.record("the queue ended early")
        return
      }
      queue.note(held: held, hasRequests: held.count < 2)
    }
    #expect(queue.next(at: now) == .end([]))
  }

  @Test func `a patient run waits for publishers, for its time in total`() {
    let feeds = Array(Self.nine[0..<1])
    var queue = PollQueue(WantedFeeds(feeds), smallest: 1, patience: .milliseconds(600))
    var steps: [PollQueue.Step] = []
    for _ in 0..<9 {
      let step = queue.next(at: .now)
      steps.append(step)
      if step == .claim(feeds) { queue.note(held: feeds, hasRequests: false) }
      if case .end = step { break }
    }
    let claim = PollQueue.Step.claim(feeds)
    #expect(
      steps == [
        claim, claim, .wait(.milliseconds(250)), claim, .wait(.milliseconds(250)), claim,
        .wait(.milliseconds(100)), claim, .end(feeds),
      ])
  }

  @Test func `a probe has a few feeds of each of the last publishers, and the others are taken later`() {
    let urls =
      (0..<3).map { "https://a.example/\($0)" } + (0..<80).map { "https://\($0).example/" }
      + (0..<6).map { "https://z.example/\($0)" }
    let feeds = Self.feeds(urls)
    var queue = PollQueue(WantedFeeds(feeds), smallest: 50)
    let now = ContinuousClock.now
    #expect(queue.next(at: now) == .claim(Array(feeds[0..<50])))
    let probe = queue.takeProbe()
    #expect(probe == Array(feeds[83..<87]) + feeds[50..<83].reversed())
    #expect(queue.takeProbe().isEmpty)
    var left: [ManagedObjectID] = []
    queue.forEachLeft { left.append($0) }
    #expect(left == feeds[87..<89].map(\.feed))
    #expect(queue.next(at: now) == .claim(Array(feeds[87..<89])))
    #expect(queue.next(at: now) == .end([]))
  }

  @Test func `a probe leaves most publishers of a long queue`() {
    let feeds = Self.feeds((0..<200).map { "https://\($0).example/" })
    var queue = PollQueue(WantedFeeds(feeds), smallest: 1)
    #expect(queue.takeProbe().count == 64)
    queue.note(held: [feeds[199]], hasRequests: true)
    var left: [ManagedObjectID] = []
    queue.forEachLeft { left.append($0) }
    #expect(left == feeds[0..<136].map(\.feed) + [feeds[199].feed])
  }
}
