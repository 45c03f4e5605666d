import FeedParsing
import Foundation
import HTMLText
import TestSupport
import Testing

@testable import ArticleDocuments
@testable import NewsCommand
@testable import NewsConfiguration
import TextOutput

/// Laws of all writers of text for other programs: the other program reads a publisher's text exactly
/// as it was, and no part of it as syntax.
@Suite struct WriterLawTests {
  /// Characters that other programs read as syntax, and characters that Swift joins with the one before.
  private static let alphabet: [Unicode.Scalar] = [
    "\"", "'", "\\", ",", "\t", "\n", "\r", "&", "<", ">", ";", "`", "$", "-", ".", " ", "a", "\u{E9}",
    "\u{301}",
    "\u{200D}", "\u{200C}", "\u{FE0F}", "\u{20E3}", "\u{1F1E9}", "\u{1F1EA}", "\u{0915}", "\u{094D}",
    "\u{1100}",
    "\u{1161}", "\u{0600}", "\u{10FFFD}", "]", "=", "{", "}", "#", "/", "(", ")",
  ]

  private static func text(seed: UInt64) -> String {
    var generator = SeededGenerator(seed: seed)
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 1...60, using: &generator) {
      text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
    }
    return String(text)
  }

  private static func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a CSV reader finds every written value unchanged`(seed: UInt64) {
    let texts = (0..<3).map { Self.text(seed: seed * 3 + $0) }
    let line = TableFormat.csv.line(texts, names: ["a", "b", "c"])
    let values = Self.csv(Array(line.utf8))
    #expect(values.count == 3)
    #expect(zip(values, texts).allSatisfy { Self.same($0, $1) })
  }

  /// The values of one record (RFC 4180).
  private static func csv(_ bytes: [UInt8]) -> [String] {
    var values: [[UInt8]] = [[]]
    var isQuoted = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        if isQuoted, index + 1 < bytes.count, bytes[index + 1] == byte {
          values[values.count - 1].append(byte)
          index += 1
        } else {
          isQuoted.toggle()
        }
      } else if !isQuoted, byte == UInt8(ascii: ",") || (byte == 10 && index + 1 < bytes.count) {
        values.append([])
      } else if isQuoted || byte != 10 {
        values[values.count - 1].append(byte)
      }
      index += 1
    }
    return values.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `TSV has one line with every written value`(seed: UInt64) {
    let texts = (0..<3).map { Self.text(seed: seed * 3 + $0) }
    let line = TableFormat.tsv.line(texts, names: ["a", "b", "c"])
    #expect(line.utf8.count { $0 == 10 } == 1)
    let values = line.utf8.dropLast().split(separator: 9, omittingEmptySubsequences: false)
    let read = values.map { value in
      Self.unescaped(Array(value), by: UInt8(ascii: "\\")) {
        ["t": "\t", "n": "\n", "r": "\r", "\\": "\\"][$0]
      }
    }
    #expect(zip(read, texts).allSatisfy { Self.same($0, $1) } && read.count == 3)
  }

  /// Reads text in which a byte and the next one represent another byte.
  private static func unescaped(
    _ bytes: [UInt8], by escape: UInt8, _ meaning: (String) -> String?
  ) -> String {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == escape, index + 1 < bytes.count,
        let text = meaning(String(decoding: [bytes[index + 1]], as: UTF8.self))
      {
        result += text.utf8
        index += 2
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a JSON reader reads every written value`(seed: UInt64) throws {
    let text = Self.text(seed: seed)
    let line: JSONLine = ["a": text, "b": [text, text]]
    let bytes = Data(line.line.utf8)
    #expect(bytes.count { $0 == 10 } == 1)
    let object = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    let all = [object["a"] as? String] + (object["b"] as? [String] ?? [])
    #expect(all.count == 3 && all.allSatisfy { Self.same($0 ?? "", text) })
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `XML and HTML contain all of a publisher's text and none of its markup`(seed: UInt64) {
    let text = Self.text(seed: seed)
    let entities = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"",
    ]
    for escaped in [XMLText.escaped(text), SafeHTML.escaped(text)] {
      #expect(!escaped.utf8.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "\"") })
      var read = ""
      for (place, part) in escaped.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)
        .enumerated()
      {
        guard place > 0 else {
          read.unicodeScalars += part
          continue
        }
        let name = String(String.UnicodeScalarView(part.prefix { $0 != ";" }))
        let number = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init).map(String.init)
        read += entities[name] ?? number ?? "?"
        read.unicodeScalars += part.drop { $0 != ";" }.dropFirst()
      }
      #expect(Self.same(read, text))
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a label of metrics ends at its closing quotation mark`(seed: UInt64) throws {
    let text = Self.text(seed: seed)
    var metrics = OpenMetrics()
    metrics.add("x", "Help.", [([("region", text)], 1)])
    let line = try #require(metrics.families.utf8.split(separator: 10).last)
    #expect(line.starts(with: "x{region=\"".utf8) && Array(line.suffix(4)) == Array("\"} 1".utf8))
    let label = Array(line.dropFirst(10).dropLast(4))
    let meanings = ["n": "\n", "\"": "\"", "\\": "\\"]
    #expect(Self.same(Self.unescaped(label, by: UInt8(ascii: "\\")) { meanings[$0] }, text))
    // Every quotation mark has a backslash before it.
    let bare = Self.unescaped(label, by: UInt8(ascii: "\\")) { meanings[$0].map { _ in "" } }
    #expect(!bare.utf8.contains(UInt8(ascii: "\"")))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a shell reads a suggested word as one argument`(seed: UInt64) async throws {
    let texts = (0..<20).map { Self.text(seed: seed * 20 + $0) }
    let words = texts.map(shellWord).joined(separator: " ")
    let result = try await Command.run("/bin/sh", ["-c", "printf '%s\\0' \(words)"])
    let read = result.out.utf8.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    #expect(result.status == 0 && read.count == texts.count)
    #expect(zip(read, texts).allSatisfy { $0.elementsEqual(printable($1).utf8) })
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `text in a manual page is never read as a request`(seed: UInt64) {
    let escaped = ManualPage.escaped(Self.text(seed: seed))
    let known = ["\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti", "\\(dq"]
    var rest = escaped.utf8[...]
    while let place = rest.firstIndex(of: UInt8(ascii: "\\")) {
      rest = rest[place...]
      guard let name = known.first(where: { rest.starts(with: $0.utf8) }) else {
        Issue.record("an unknown escape in \(escaped.debugDescription)")
        return
      }
      rest = rest.dropFirst(name.utf8.count)
    }
    #expect(!escaped.utf8.contains { "'`\"".utf8.contains($0) })
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a table of the configuration keeps its region's name`(seed: UInt64) throws {
    // A literal string of TOML has no escapes.
    let name = String(
      String.UnicodeScalarView(
        Self.text(seed: seed).unicodeScalars.filter { !"'\n\r\t".unicodeScalars.contains($0) }))
    let text = "[fetch]\njobs = 1\n[region.'\(name)']\ninterval = \"1h\"\n"
    let configuration = try Configuration(toml: text)
    let found = try #require(configuration.regions.keys.first)
    #expect(Self.same(found, name))
  }
}
