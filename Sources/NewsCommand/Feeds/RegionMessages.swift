import Foundation
import TextOutput
import WebAddress

/// What tells of the feeds of a region that went, and what to do with them.
///
/// - Parameters:
///   - count: How many are in no other region.
///   - all: How many it had.
func leftWords(_ count: Int, of all: Int) -> String {
  if all == 0 { return "; it had no feeds" }
  guard count > 0 else { return "; its feeds are in other regions" }
  let (verb, one) = count == 1 ? ("is", "it") : ("are", "one")
  return
    "; \(counted(count, "feed")) \(verb) in no region now: kept with \(count == 1 ? "its" : "their") articles, but not "
    + "fetched any more.   Next: newsimport feed move URL REGION brings \(one) back, newsimport feed remove URL deletes "
    + "\(one)"
}

/// What is told where a list has nothing: there is nothing yet, or only feeds that nobody asks.
///
/// - Parameters:
///   - things: What would be listed, in the plural.
///   - regionless: How many feeds are in no region.
func noneWords(_ things: String, regionless: Int) -> String {
  let none = regionless > 0 ? "no \(things): " : "no \(things) yet"
  return none + regionlessWords(regionless)
}

/// What tells of feeds that nobody asks since they are in no region, and what to do next.
func regionlessWords(_ count: Int) -> String {
  guard count > 0 else { return ".   Next: newsimport region add NAME URL\n" }
  let (verb, them) = count == 1 ? ("is", "it") : ("are", "them")
  return "\(counted(count, "feed")) \(verb) in no region.   Next: newsimport doctor names \(them)\n"
}

/// Refuses names that could not be typed or shown again.
///
/// - Throws: ``CommandFailure`` with status 64.
func checkRegionName(_ name: String) throws {
  guard !name.contains("://") else {
    throw CommandFailure(
      .usage,
      "\(WebAddress.withoutPassword(name)): an address, where the name of a region belongs: newsimport region add NAME URL"
    )
  }
  let hasBlankEnd = name.first?.isWhitespace != false || name.last?.isWhitespace == true
  guard !hasBlankEnd, name.utf8.first != UInt8(ascii: "-"), name.utf8.count <= mostBytesOfRegionName,
    printable(name) == name
  else {
    throw CommandFailure(
      .usage,
      "'\(name)': not a name for a region; use letters and digits, no blank at an end, and at most \(mostBytesOfRegionName) bytes"
    )
  }
}

/// Longer names of regions cannot be told from each other where they are shown.
let mostBytesOfRegionName = 200

/// "; did you mean https://example.org/feed?"; empty where ``schemeHint(_:)`` has nothing to say.
func schemeQuestion(_ text: String) -> String {
  schemeHint(text).map { "; did you mean \($0)?" } ?? ""
}

/// The address with https where it begins with a host's name, such as `example.org/feed`; nil for others.
func schemeHint(_ text: String) -> String? {
  let host = text.prefix { !"/?#".contains($0) }
  guard !text.utf8.contains(UInt8(ascii: "@")), host.dropFirst().dropLast().contains("."),
    !host.contains(":") || Int(host.drop { $0 != ":" }.dropFirst()) != nil
  else { return nil }
  return try? WebAddress(listed: "https://\(text)").text
}

/// Reports addresses that feeds have left: the feeds at their present addresses are added.
func movedLines(_ moves: [(from: WebAddress, to: WebAddress)]) -> String {
  moves.map { move in
    "moved  \(move.from) -> \(move.to), which is added; with --discover the old address is asked for a "
      + "feed of its own\n"
  }.joined()
}

/// What tells how many feeds were added, and what to do next.
///
/// - Parameter again: How many of them had ended, and are asked again.
func addedLine(_ added: Int, known: Int, again: Int, region name: String) -> String {
  let already = known > 0 ? ", \(known) already there" : ""
  let ended = again > 0 ? "; \(again) had ended (HTTP 410) and \(again == 1 ? "is" : "are") asked again" : ""
  return "added  \(counted(added, "feed")) to region \(printable(name))\(already)\(ended).   "
    + "Next: newsimport fetch \(shellWord(name))\n"
}
