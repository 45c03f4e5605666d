import Testing

@testable import TextOutput

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      (0, "0 s"), (59.6, "1 min"), (3600, "1 h"), (9000, "2 h 30 min"), (86400 * 3 + 60, "3 d"),
      (90000, "1 d 1 h"),
    ] as [(Double, String)])
  func `a duration has at most two units`(seconds: Double, text: String) {
    #expect(DurationText.precise(seconds) == text)
  }

  @Test(
    arguments: [(0, "0 s"), (59, "59 s"), (59.6, "1 min"), (5400, "2 h"), (86399, "1 d")]
      as [(Double, String)])
  func `a rough duration has one unit`(seconds: Double, text: String) {
    #expect(DurationText.rough(seconds) == text)
  }
}
