import Testing
import TextOutput

@Suite struct TextOutputTests {
  @Test(arguments: [
    ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t\u{0}\u{8}", #""\n\r\t\u0000\u0008""#),
    ("é\u{301}\u{1F600}", "\"é\u{301}\u{1F600}\""),
    ("\u{7f}\u{85}\u{2028}\u{202e}\u{feff}", #""\u007f\u0085\u2028\u202e\ufeff""#),
  ])
  func `a text becomes a JSON string that is safe on a terminal`(text: String, json: String) {
    #expect(JSONText.quoted(text) == json)
  }

  @Test func `bytes that are not UTF-8 are replaced in JSON`() {
    var bytes: [UInt8] = []
    JSONText.append(escaping: [0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80].span, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "a\u{FFFD}\u{FFFD}(\u{FFFD}\u{FFFD}\u{FFFD}")
  }

  @Test func `objects and lists are separated by commas`() {
    var json = JSONText()
    json.open("{")
    json.field("a", "x")
    json.key("b" as String)
    json.open("[")
    json.string("y")
    json.null()
    json.number(1.5)
    json.close("]")
    json.date("c", 0)
    json.close("}")
    #expect(json.text == #"{"a":"x","b":["y",null,1.5],"c":"1970-01-01T00:00:00Z"}"#)
  }

  @Test(
    arguments: [
      (0, 0, "1970-01-01T00:00:00Z"), (951_782_400, 0, "2000-02-29T00:00:00Z"),
      (-1, 500_000, "1969-12-31T23:59:59.5Z"), (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
      (253_402_300_800, 0, "+010000-01-01T00:00:00Z"), (-62_167_219_201, 0, "-000001-12-31T23:59:59Z"),
      (-12_219_292_801, 0, "1582-10-14T23:59:59Z"), (.max, 0, "+292277026596-12-04T15:30:07Z"),
    ] as [(Int64, Int, String)])
  func `a date uses the Gregorian calendar in all years`(
    seconds: Int64, microseconds: Int, text: String
  ) {
    #expect(ISODate.text(seconds, microseconds: microseconds) == text)
  }

  @Test func `a date that is not a number has no text`() {
    #expect(ISODate.text(.nan) == nil && ISODate.text(.infinity) == nil)
    #expect(ISODate.text(0.9999999) == "1970-01-01T00:00:01Z")
  }

  @Test func `control characters are printed as escapes`() {
    #expect(printable("a\u{1b}[2J\u{9b}\u{2066}\n") == #"a\u001b[2J\u009b\u2066\u000a"#)
    #expect(printableLines("a\tb\r\nc") == "a\tb\\u000d\nc")
  }

  @Test(arguments: ["\u{1b}]0;x\u{7}", "\u{9b}31m", "\u{202e}txt", "a\nb", "\u{2028}", "\u{7f}", "\u{feff}"])
  func `no character remains that moves a cursor or changes the writing direction`(text: String) {
    let escaped = printable("before \(text) after")
    #expect(escaped.hasPrefix("before ") && escaped.hasSuffix(" after"))
    #expect(escaped.contains("\\u"))
    #expect(printable(escaped) == escaped)
  }

  @Test func `ordinary text stays unchanged`() {
    #expect(printable("Straße, 東京, 🙂 e\u{301}") == "Straße, 東京, 🙂 e\u{301}")
  }
}
