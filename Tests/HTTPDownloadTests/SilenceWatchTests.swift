import Testing

@testable import HTTPDownload

struct SilenceWatchTests {
  private let start = ContinuousClock.now

  private func signs(_ seconds: [Double]) -> [(TransferID, ContinuousClock.Instant)] {
    seconds.enumerated().map { (TransferID(UInt64($0.offset + 1)), start + .seconds($0.element)) }
  }

  @Test func `a transfer is silent if nothing arrived for the given time`() {
    var watch = SilenceWatch(tolerance: .seconds(1))
    let silent = watch.look(at: start + .seconds(2), lastSigns: signs([0, 1, 1.5, 2]))
    #expect(silent == [TransferID(1), TransferID(2)])
  }

  @Test func `the next check is due when the next transfer would become silent`() {
    var watch = SilenceWatch(tolerance: .seconds(1))
    #expect(watch.isDue(at: start))
    _ = watch.look(at: start + .seconds(2), lastSigns: signs([1.8, 1.5]))
    #expect(watch.nextLook == start + .seconds(2.5))
    #expect(!watch.isDue(at: start + .seconds(2.4)) && watch.isDue(at: start + .seconds(2.5)))
  }

  @Test func `checks have a minimum distance, however many transfers become silent`() throws {
    var watch = SilenceWatch(tolerance: .seconds(1))
    _ = watch.look(at: start + .seconds(2), lastSigns: signs([1.001]))
    #expect(try #require(watch.nextLook) >= start + .seconds(2.05))
  }

  @Test func `without queued transfers no check is due`() {
    var watch = SilenceWatch(tolerance: .seconds(1))
    _ = watch.look(at: start, lastSigns: signs([0]))
    watch.rest()
    #expect(watch.nextLook == nil)
    #expect(watch.isDue(at: start))
  }
}
