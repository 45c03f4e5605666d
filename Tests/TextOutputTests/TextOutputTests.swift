import TestSupport
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

  @Test(arguments: 0..<200) func `any bytes become the same JSON as the String that they decode to`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    // Bytes at the borders of the forms of UTF-8, and bytes of characters that are escaped.
    let some: [UInt8] = [
      0x20, 0x41, 0x7E, 0x7F, 0x80, 0x85, 0x8F, 0x90, 0x9C, 0x9F, 0xA0, 0xA8, 0xBB, 0xBF, 0xC0, 0xC1, 0xC2,
      0xC3,
      0xD0, 0xD8, 0xDF, 0xE0, 0xE1, 0xE2, 0xE3, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF, 0x0A,
      0x09,
      0x0D, 0x00, 0x22, 0x5C,
    ]
    let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
      some.randomElement(using: &random) ?? 0
    }
    let text = String(decoding: bytes, as: UTF8.self)
    var expected = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": expected += "\\\(scalar)"
      case "\n": expected += "\\n"
      case "\t": expected += "\\t"
      case "\r": expected += "\\r"
      default: expected += withEscapes(String(scalar))
      }
    }
    var (json, raw) = (JSONText(), JSONText())
    json.string(bytes.span)
    raw.raw(bytes.span)
    #expect(json.text.utf8.elementsEqual((expected + "\"").utf8))
    #expect(
      raw.text.utf8.elementsEqual(withEscapes(text).utf8),
      "JSON from the store is made safe, but not quoted again")
  }

  @Test func `lines of JSON follow the bytes that are there`() {
    var bytes = Array("x\n".utf8)
    var json = JSONText(continuing: &bytes)
    for number in 1...2 {
      json.open("{")
      json.key(encoded: JSONText.encodedKey("a\""))
      json.raw("\(number)")
      json.key("b" as String)
      json.hexadecimal([0x00, 0xAF].span)
      json.close("}")
      json.endLine()
    }
    #expect(
      json.text == #"""
        x
        {"a\"":1,"b":"00af"}
        {"a\"":2,"b":"00af"}

        """#)
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
    #expect(printable("a\u{1b}[2J\u{9b}\u{202d}\n") == #"a\u001b[2J\u009b\u202d\u000a"#)
    #expect(printableLines("a\tb\u{2066}\r\nc") == "a\tb\\u2066\\u000d\nc")
  }

  @Test(arguments: ["\u{1b}]0;x\u{7}", "\u{9b}31m", "\u{202e}txt", "a\nb", "\u{2028}", "\u{7f}", "\u{feff}"])
  func `no character remains that moves a cursor or changes the writing direction`(text: String) {
    let escaped = printable("before \(text) after")
    #expect(escaped.hasPrefix("before ") && escaped.hasSuffix(" after"))
    #expect(escaped.contains("\\u"))
    #expect(printable(escaped) == escaped)
  }

  @Test(arguments: [
    "Straße, 東京, 🙂 e\u{301}", "\u{200F}שלום\u{200E} (2026) \u{61C}", "\u{2067}שלום \u{2068}x\u{2069}\u{2069}",
    "👩‍🚀 ❤️ 1️⃣ 👍🏽 🇫🇷", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
  ])
  func `text in any direction and emoji are shown as they are`(text: String) {
    #expect(printable(text).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(arguments: [
    ("\u{2068}Name", "\u{2068}Name\u{2069}"), ("a\u{2069}b", "ab"),
    ("\u{2069}\u{2066}\u{2067}a\u{2069}", "\u{2066}\u{2067}a\u{2069}\u{2069}"),
  ])
  func `isolates are paired`(text: String, paired: String) {
    #expect(printable(text).unicodeScalars.elementsEqual(paired.unicodeScalars))
  }

  @Test(arguments: [
    "a\u{E0061}", "\u{E0001}", "🏴\u{E0067}\u{E0062}", "🏴\u{E0067}\u{E0062}\u{E0041}\u{E007F}",
  ])
  func `hidden letters outside a flag are printed as escapes`(text: String) {
    #expect(printable(text).contains("\\u{e00"))
    #expect(!printable(text).unicodeScalars.contains { 0xE0000...0xE007F ~= $0.value })
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["\u{E0061}", "\u{202E}", "e\u{301}"])
  func `time does not grow with the square of the characters`(character: String) {
    let text = String(repeating: character, count: 200_000)
    #expect(printable(text).utf8.count >= text.utf8.count)
  }
}
