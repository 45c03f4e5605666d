import FeedParsing
import TextOutput

/// The law of dates: a parsed date can be written, and parses again to the same time.
enum DateLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    let seconds = DateParser.seconds(input.span)
    try expect(DateParser.seconds(input.span) == seconds, "a date is read the same again")
    try expect(
      DateParser.seconds(([0x20, 0x0A] + input + [0x0D]).span) == seconds, "white space is ignored")
    guard let seconds else { return input.count <= 100 }
    // The years 1 to 9999, and another day for the time zone.
    try expect(
      seconds > -62_135_596_800 - 90_000 && seconds < 253_402_300_800 + 90_000, "years have four digits")
    var text: [UInt8] = []
    ISODate.append(seconds, to: &text)
    try expect(text.count == 20, "a date is written in 20 characters")
    let clamped = min(max(seconds, -62_135_596_800), 253_402_300_799)
    try expect(DateParser.seconds(text.span) == clamped, "a written date is read as the same")
    return true
  }
}
