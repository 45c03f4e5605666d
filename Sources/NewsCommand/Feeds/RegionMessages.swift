import Foundation
import NewsModel
import TextOutput
import WebAddress

/// The end of a line about a feed that left its last region.
let leftAloneText = "; it is now in no region, and no longer fetched"

/// Describes the feeds that a removed region leaves, and the commands for them.
///
/// - Parameters:
///   - count: The number of feeds that are in no other region.
///   - all: The number of feeds that the region had.
func leftFeedsText(_ count: Int, of all: Int) -> String {
  if all == 0 { return "; it had no feeds" }
  guard count > 0 else { return "; its feeds are in other regions" }
  let (verb, one) = count == 1 ? ("is", "it") : ("are", "one")
  let what =
    count == all
    ? "its \(counted(all, "feed")) \(verb) kept, but"
    : "\(grouped(count)) of its \(counted(all, "feed")) \(verb) in no other region, and"
  return
    "; \(what) no longer fetched.   Next: newsimport region add REGION URL brings \(one) back, "
    + "newsimport feed remove URL deletes \(one)"
}

/// Returns the message for an empty list: nothing exists yet, or all feeds are in no region.
///
/// - Parameters:
///   - things: The listed items, in the plural.
///   - regionless: The number of feeds that are in no region.
func emptyListText(_ things: String, regionless: Int) -> String {
  let none = regionless > 0 ? "no \(things): " : "no \(things) yet"
  return none + regionlessText(regionless)
}

/// Describes the feeds that are not polled because they are in no region, and the next command.
func regionlessText(_ count: Int) -> String {
  guard count > 0 else { return ".   Next: newsimport region add NAME URL\n" }
  let (verb, them) = count == 1 ? ("is", "it") : ("are", "them")
  return "\(counted(count, "feed")) \(verb) in no region.   Next: newsimport doctor lists \(them)\n"
}

/// Rejects names that cannot be typed or shown again.
///
/// - Throws: ``CommandFailure`` with status 64.
func checkRegionName(_ name: String) throws {
  guard !name.contains("://") else {
    throw CommandFailure(
      .usage,
      "\(WebAddress.withoutPassword(name)): an address instead of the name of a region: newsimport region add NAME URL"
    )
  }
  guard !name.hasPrefix("@") else {
    throw CommandFailure(
      .usage,
      "'\(printable(name))': the name of a region cannot begin with @, because @NAME is a query of the configuration"
    )
  }
  guard Region.canBeTyped(name) else {
    throw CommandFailure(
      .usage,
      "'\(name)': not a valid name for a region; use letters and digits, no blank at either end, and at most \(Region.mostBytesOfName) bytes"
    )
  }
}

/// Returns "; did you mean https://example.org/feed?"; empty if ``schemeHint(_:)`` returns nil.
func schemeQuestion(_ text: String) -> String {
  schemeHint(text).map { "; did you mean \($0)?" } ?? ""
}

/// Returns the https address for a text that begins with a host name, such as `example.org/feed`; nil for
/// other texts.
func schemeHint(_ text: String) -> String? {
  let host = text.prefix { !"/?#".contains($0) }
  guard !text.utf8.contains(UInt8(ascii: "@")), host.dropFirst().dropLast().contains("."),
    !host.contains(":") || Int(host.drop { $0 != ":" }.dropFirst()) != nil
  else { return nil }
  return try? WebAddress(listed: "https://\(text)").text
}

/// Describes feeds that were named by an old address: their current address was added instead.
func movedLines(_ moves: [(from: WebAddress, to: WebAddress)]) -> String {
  moves.map { move in
    "moved  \(move.from) -> \(move.to), which was added; --check searches the old address for a "
      + "feed of its own\n"
  }.joined()
}

/// Describes how many feeds were added, and the next command.
///
/// - Parameter again: The number of feeds that had ended, and are polled again.
func addedLine(_ added: Int, known: Int, again: Int, region name: String) -> String {
  let already = known > 0 ? ", \(known) already there" : ""
  let ended = again > 0 ? "; \(again) had ended (HTTP 410) and \(again == 1 ? "is" : "are") polled again" : ""
  return "added  \(counted(added, "feed")) to region \(printable(name))\(already)\(ended).   "
    + "Next: newsimport fetch \(shellWord(name))\n"
}
