import CGlibc
import DocumentReading
import FeedParsing
import NewsModel
import WebAddress
import Sequences

/// Finds out from a document's beginning whether it is a feed, and which address it states.
enum DocumentProbe {
  /// - Returns: The address that the document states for itself (`rel="self"`, `feed_url`); nil without one
  ///   that can be fetched.
  /// - Throws: ``FeedError`` if the document is not a feed.
  static func address(of document: InputDocument) throws(FeedError) -> WebAddress? {
    for count in [partBytes, ParserLimits.standard.preambleBytes] {
      let verdict = DocumentStart.verdict(on: document.beginning(count))
      if case .other(let kind) = verdict { throw .notAFeed(looksLike: kind) }
      // A longer beginning would take time, and nearly no document needs it.
      if verdict == .feed { break }
    }
    let parser = FeedParser(source: DocumentSource())
    let end = lastMention(in: document.head)
    var position = 0
    for piece in document.head {
      for part in piece.chunks(of: partBytes) {
        try parser.push(part)
        _ = parser.takeItems()
        position += part.count
        let details = parser.details
        guard details.format != nil else { continue }
        if let stated = details.feedURL { return address(stated) }
        if position > end { return nil }
      }
    }
    // The rest decides whether it is a feed.
    guard document.rest == nil else { return nil }
    return try parser.finish().feedURL.flatMap(address)
  }

  private static func address(_ text: String) -> WebAddress? { try? WebAddress(listed: text) }

  /// The bytes that are parsed before the result is examined: an address is nearly always in the first part.
  private static let partBytes = 4096

  /// Returns the position after which the document cannot state its address; -1 if it never can. This is the
  /// end of the last text that may belong to an address, with room for the rest of its element.
  ///
  /// Without this limit, each document without an address would be parsed twice.
  static func lastMention(in pieces: [[UInt8]]) -> Int {
    var last = -1
    var start = 0
    var tail: [UInt8] = []
    for piece in pieces {
      // Multi-byte characters, such as UTF-16, are not searched.
      if start == 0, piece.prefix(64).contains(0) { return .max }
      // A text may be divided between two pieces.
      let overlap = tail + piece.prefix(longestMention)
      if let found = lastMention(in: overlap) { last = start - tail.count + found }
      if let found = lastMention(in: piece) { last = start + found }
      start += piece.count
      tail = Array(piece.suffix(longestMention))
    }
    return last < 0 ? last : last + roomOfElement
  }

  private static let longestMention = 16
  private static let roomOfElement = 64 << 10

  private static func lastMention(in bytes: [UInt8]) -> Int? {
    let quoted = lastPlace(of: "self", in: bytes) { place in
      guard place > 0 else { return false }
      return [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "=")].contains(bytes[place - 1])
    }
    let member = lastPlace(of: "feed_url", in: bytes) { _ in true }
    return [quoted, member].compactMap(\.self).max()
  }

  private static func lastPlace(
    of word: StaticString, in bytes: [UInt8], where isWanted: (Int) -> Bool
  ) -> Int? {
    unsafe bytes.withUnsafeBytes { buffer -> Int? in
      guard let base = buffer.baseAddress else { return nil }
      var last: Int?
      var place = 0
      while let found = unsafe memmem(
        base + place, buffer.count - place, word.utf8Start, word.utf8CodeUnitCount)
      {
        let position = unsafe UnsafeRawPointer(found) - base
        if isWanted(position) { last = position }
        place = position + 1
      }
      return last
    }
  }
}
