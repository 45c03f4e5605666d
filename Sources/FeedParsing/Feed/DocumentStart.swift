internal import Markup

/// The text before a feed's root.
///
/// Servers put messages, HTTP headers and chunk lengths there, and a parser passes over any text. A file may
/// also be a program or a manual that contains a feed as an example. An XML declaration shows that a document
/// begins.
package enum DocumentStart {
  /// The conclusion from a file's beginning.
  package enum Verdict: Equatable {
    case feed
    /// The file contains a feed at most as an example; the kind in words.
    case other(String)
    /// A feed's root may follow.
    case unknown
  }

  /// Judges a file by its beginning.
  ///
  /// The method only judges encodings in which ASCII characters have one byte.
  package static func verdict(on head: [UInt8]) -> Verdict {
    guard !head.prefix(64).contains(0) else { return .feed }
    if isJSON(head) { return .unknown }
    var scan = Scan(head)
    switch scan.findRoot() {
    case .root where scan.beginsWithText && isOfProgram(scan):
      return .other("a text or a program that contains a feed")
    case .root: return .feed
    case .none: return .unknown
    case .program(let kind): return .other(kind)
    }
  }

  /// Returns whether a JSON object begins. Its texts may contain programs and feeds.
  private static func isJSON(_ head: [UInt8]) -> Bool {
    let signs = head.lazy.drop { $0 >= 0x80 }.filter { !$0.isXMLSpace }.prefix(2)
    return signs.elementsEqual("{\"".utf8)
  }

  /// Returns whether the text before a root is neither a server's message nor a single line.
  ///
  /// Without a declaration, the line must be a single word, and no text may follow the root's tag.
  private static func isOfProgram(_ scan: Scan) -> Bool {
    let bytes = scan.text
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
      .filter { !$0.isEmpty }
    guard let first = lines.first, let last = bytes.last(where: { !$0.isXMLSpace }) else { return false }
    // A feed does not begin inside quotation marks, brackets or an assignment.
    if "\"'`([{=+\\,".utf8.contains(last) { return true }
    if ["#", "//", "/*", "--", ";"].contains(where: first.hasPrefix) { return true }
    if lines.contains(where: { $0.contains("<<") }) { return true }
    if lines.count == 1, scan.hasDeclaration { return false }
    if lines.count == 1, !first.contains(" ") { return scan.isBeforeText }
    let hasHeaders = lines.contains { line in
      ["http/", "content-type:"].contains { line.lowercased().hasPrefix($0) }
    }
    return !lines.allSatisfy { isMessage($0, hasHeaders: hasHeaders) }
  }

  private static let messages = [
    "warning", "notice", "deprecated", "error", "exception", "strict standards", "stack trace", "thrown in",
    " on line ",
  ]

  /// Returns whether a line is a message from a server's program, an HTTP header or a chunk length.
  private static func isMessage(_ line: Substring, hasHeaders: Bool) -> Bool {
    let lower = line.lowercased()
    if messages.contains(where: lower.contains) { return true }
    // A line in a stack trace.
    if lower.hasPrefix("#"), lower.dropFirst().first?.isNumber == true { return true }
    if lower.allSatisfy(\.isHexDigit) { return true }
    guard hasHeaders, let colon = lower.firstIndex(of: ":") else { return lower.hasPrefix("http/") }
    return lower[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }

  /// A search for a feed's root.
  private struct Scan {
    enum End {
      case root
      case program(String)
      /// The bytes do not contain a root.
      case none
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The text before the root, without tags and comments.
    private(set) var text: [UInt8] = []
    /// True if text precedes the first tag.
    private(set) var beginsWithText = false
    /// True if an XML declaration precedes the root.
    private(set) var hasDeclaration = false
    private var hasTag = false

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    mutating func findRoot() -> End {
      while index < bytes.count {
        guard bytes[index] == UInt8(ascii: "<") else {
          takeText()
          continue
        }
        if has("<!--") {
          guard skip(past: "-->") else { return .none }
        } else if has("<![CDATA[") {
          guard skip(past: "]]>") else { return .none }
        } else if has("<!") {
          guard skipDeclaration() else { return .none }
        } else if has("<?php") || has("<?=") || has("<? ") || has("<?\n") {
          return .program("a program in PHP")
        } else if has("<%") {
          return .program("a template of a page")
        } else if has("<?") {
          hasDeclaration = hasDeclaration || has("<?xml")
          guard skip(past: "?>") else { return .none }
        } else if let end = takeTag() {
          return end
        }
      }
      return .none
    }

    /// True if text follows the tag at `index`.
    var isBeforeText: Bool {
      var rest = self
      guard rest.skip(past: ">") else { return false }
      repeat {
        rest.index = bytes[rest.index...].firstIndex { !$0.isXMLSpace } ?? bytes.count
      } while rest.has("<!--") && rest.skip(past: "-->")
      return rest.index < bytes.count && bytes[rest.index] != UInt8(ascii: "<")
    }

    private mutating func takeText() {
      if !bytes[index].isXMLSpace, !FeedParser.isOfMark(bytes[index]), !hasTag { beginsWithText = true }
      text.append(bytes[index])
      index += 1
    }

    /// Takes a tag, or a `<` that does not begin a tag. Returns the result if the tag ends the search, nil if
    /// the search continues.
    private mutating func takeTag() -> End? {
      let name = bytes[(index + 1)...].prefix { !$0.isXMLSpace && ![0x2F, 0x3C, 0x3E].contains($0) }
      let local = String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        .lowercased()
      if ["rss", "rdf", "feed", "channel", "entry"].contains(local) { return .root }
      if name.starts(with: "xsl:".utf8) { return .program("an XSLT stylesheet") }
      let isTag = name.first?.isASCIILetter ?? has("</")
      let next = bytes[(index + 1)...].firstIndex { $0 == 0x3C || $0 == 0x3E }
      guard isTag, let next, bytes[next] == 0x3E else {
        takeText()
        return nil
      }
      hasTag = true
      index = next + 1
      if local == "script" || local == "style", !skip(past: "</") { return End.none }
      return nil
    }

    /// Skips a declaration, which may contain others in brackets.
    private mutating func skipDeclaration() -> Bool {
      guard let end = bytes[index...].firstIndex(where: { $0 == 0x3E || $0 == UInt8(ascii: "[") }) else {
        return false
      }
      index = end + 1
      return bytes[end] == 0x3E || (skip(past: "]") && skip(past: ">"))
    }

    private func has(_ start: StaticString) -> Bool { bytes.span.hasPrefix(start, at: index) }

    /// Skips past the next occurrence of `end`; returns false if it does not occur.
    private mutating func skip(past end: StaticString) -> Bool {
      while index < bytes.count {
        if has(end) {
          index += end.utf8CodeUnitCount
          return true
        }
        index += 1
      }
      return false
    }
  }
}
