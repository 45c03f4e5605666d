import Testing

@testable import FeedParsing

struct QuantityTests {
  @Test(
    arguments: [
      ("1:02:03", 3723), ("62:03", 3723), ("3723", 3723), ("3723.5", 3723), (" 01:02:03.75 ", 3723),
      (":30", 30),
      ("00:00", 0), ("1 : 02 : 03", 3723), ("PT1H2M3S", 3723), ("pt90m", 5400), ("P1DT1S", 86_401),
      ("1h 2m 3s", 3723), ("45 minutes", 2700), ("1 hour, 5 min", 3900), ("PT3723.4S", 3723),
      ("", nil), ("abc", nil), ("1:2:3:4", nil), ("-5", nil), ("12:x", nil), ("99999999999999999999", nil),
      ("99999999999999999999h", nil), ("PT", nil), ("5", 5),
    ] as [(String, Int64?)])
  func `a duration is read in all usual forms`(text: String, expected: Int64?) {
    #expect(Quantity.seconds(text) == expected)
  }

  @Test(
    arguments: [
      ("0", 0), ("1234", 1234), (" 1,234,567 ", 1_234_567), ("12345 bytes", 12345), ("640px", 640),
      ("12.0", 12), ("", nil), ("-1", nil), ("10 MB", nil), ("12,34", nil), ("1234,567", nil), ("x", nil),
      ("99999999999999999999", nil),
    ] as [(String, Int64?)])
  func `a whole number is read in all usual forms`(text: String, expected: Int64?) {
    #expect(Quantity.whole(text) == expected)
  }

  @Test(arguments: ["nan", "inf", "-infinity", "1e999", "", "x"])
  func `a text that is not a finite number is nil`(text: String) {
    #expect(Quantity.decimal(text) == nil)
  }
}
