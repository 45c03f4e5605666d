import Foundation
import Testing

@testable import FeedImport

@Suite struct ClaimTableTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let day: TimeInterval = 86_400

  @Test(
    arguments: [
      (-day, true), (-43_201, true), (-43_199, false), (-1, false), (0, false), (1, true), (300, true),
      (day, true),
    ] as [(TimeInterval, Bool)])
  func
    `the claim of a living run holds until it expires, and a date that is far away is that of a wrong clock`(
      seconds: TimeInterval, holds: Bool
    )
  {
    let row = ClaimTable.Row(origin: "http://a:80", run: 7, expiry: Self.now.addingTimeInterval(seconds))
    #expect(ClaimTable.holds(row, isDead: false, at: Self.now) == holds)
    #expect(!ClaimTable.holds(row, isDead: true, at: Self.now))
  }

  @Test func `only the claims of living runs are held, and others are void`() {
    let later = Self.now.addingTimeInterval(300)
    let rows = [("http://a:80", 7), ("http://b:80", 7), ("http://c:80", 8)].map {
      ClaimTable.Row(origin: $0.0, run: $0.1, expiry: later)
    }
    let table = ClaimTable(rows, dead: [8], at: Self.now)
    #expect(table.held == ["http://a:80", "http://b:80"] && table.hasVoid)
    #expect(!ClaimTable(rows, dead: [], at: Self.now).hasVoid)
  }
}

@Suite struct HeldPublishersTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func `a publisher is done when the last of its feeds has ended`() {
    var held = HeldPublishers()
    held.add(["a", "b", "c"], until: Self.now.addingTimeInterval(300))
    for publisher in ["a", "a", "b"] { held.begin(publisher) }
    #expect(held.done == ["c"])
    held.end("a")
    #expect(held.done == ["c"])
    held.end("a")
    held.end("b")
    #expect(held.done == ["a", "b", "c"])
    #expect(held.takeDone(but: ["b"]) == ["a", "c"])
    // While it is being released, a redirect must not lead there.
    #expect(held.done == ["b"] && !held.contains("a") && held.contains("b"))
    held.restore(["c"])
    #expect(held.done == ["b", "c"])
    // A publisher that is wanted again before it was released stays held.
    held.begin("b")
    #expect(held.done == ["c"] && held.contains("b"))
  }

  @Test func `all claims expire with the earliest`() {
    var held = HeldPublishers()
    held.add(["a"], until: Self.now.addingTimeInterval(300))
    held.add(["b"], until: Self.now.addingTimeInterval(400))
    #expect(held.mayPoll("b", at: Self.now.addingTimeInterval(299)))
    #expect(!held.mayPoll("b", at: Self.now.addingTimeInterval(300)))
    #expect(held.mayHaveExpired(at: Self.now.addingTimeInterval(300)))
    held.renew(["a", "b"], until: Self.now.addingTimeInterval(600))
    #expect(held.mayPoll("b", at: Self.now.addingTimeInterval(500)))
  }

  @Test func `feeds of a publisher that another run has taken over are not polled`() {
    var held = HeldPublishers()
    held.add(["a", "b"], until: Self.now)
    for publisher in ["a", "b"] { held.begin(publisher) }
    held.renew(["b"], until: Self.now.addingTimeInterval(300))
    #expect(!held.mayPoll("a", at: Self.now) && held.mayPoll("b", at: Self.now))
    held.end("a")
    _ = held.takeDone()
    held.add(["a"], until: Self.now.addingTimeInterval(300))
    #expect(held.mayPoll("a", at: Self.now))
  }
}
