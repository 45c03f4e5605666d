import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// Returns the region that may be meant by an unknown name, or else a list of all regions.
func regionHint(_ name: String, _ names: [String]) -> String {
  if names.isEmpty { return "add one: newsimport region add \(shellWord(name)) URL" }
  return suggestion(for: name, among: names)
    ?? "the regions are \(names.prefix(20).joined(separator: ", "))\(names.count > 20 ? ", …" : "")"
}

extension NewsStack {
  /// Returns the feed with an address, or the only feed with a text in its address.
  ///
  /// - Parameters:
  ///   - isDeletion: True before a deletion: then a part of an address must be its host or its path.
  ///   - suggests: False if no similar address is searched for an unknown one.
  /// - Throws: ``CommandFailure`` with status 66 if no feed or several feeds match, 64 for an empty text.
  func feed(at text: String, isDeletion: Bool = false, suggests: Bool = true) throws -> Feed {
    guard !text.isEmpty else {
      throw CommandFailure(.usage, "'': not a feed; write its address, or a part of it")
    }
    let address = WebAddress(text)
    if let feed = try reading({ try source.feed(at: address) }) { return feed }
    // A feed is found under the exact spelling first, then under the usual one.
    if let usual = try? WebAddress(listed: text), usual != address,
      let feed = try reading({ try source.feed(at: usual) })
    {
      return feed
    }
    // An attached store may have the same feed.
    var seen: Set<WebAddress> = []
    let all = try reading { try source.feeds(containing: text, limit: 6 * (attached.count + 1)) }
    let found = (all.filter { source.isOwn($0.id) } + all.filter { !source.isOwn($0.id) })
      .filter { seen.insert($0.url).inserted }.prefix(6)
    let shown = WebAddress.withoutPassword(text)
    if found.count == 1 {
      guard !isDeletion || namesFeed(text, found[0].url) else {
        throw CommandFailure(
          .noInput,
          "\(shown): too short to choose a feed to delete; did you mean \(found[0].url.withoutPassword)?")
      }
      return found[0]
    }
    guard found.isEmpty else {
      let names = found.prefix(5).map { $0.url.withoutPassword }.joined(separator: ", ")
      throw CommandFailure(
        .noInput,
        "\(shown): more than one feed: \(names)\(found.count > 5 ? ", …" : ""); write more of the address")
    }
    throw CommandFailure(
      .noInput, "\(shown): no such feed" + (suggests ? "; \(try hint(forFeed: text))" : ""))
  }

  /// Returns the address that may be meant, or else the command that lists all.
  private func hint(forFeed text: String) throws -> String {
    let known = try reading { try source.feedURLs(limit: Self.mostCompared) }.map(\.withoutPassword)
    return suggestion(for: WebAddress.withoutPassword(text), among: known)
      ?? "newsimport feed list shows all"
  }

  /// The feed count above which no address is suggested.
  private static let mostCompared = 5000
}

/// Returns true if an address part identifies the feed: its host, with or without the text after it, or
/// everything after the host.
private func namesFeed(_ part: String, _ address: WebAddress) -> Bool {
  let (text, part) = (address.withoutPassword.lowercased(), part.lowercased())
  let place = text.drop { $0 != "/" }.dropFirst(2)
  let authority = place.prefix { !"/?#".contains($0) }
  let path = place.dropFirst(authority.count)
  // The text after a user's name.
  let rest = place[(authority.lastIndex(of: "@").map { place.index(after: $0) } ?? place.startIndex)...]
  let host = rest.prefix { !":/?#".contains($0) }
  let next = rest.dropFirst(part.count).first
  let hasWholeHost =
    part.count >= host.count && rest.hasPrefix(part) && (next.map { ":/?#".contains($0) } ?? true)
  return hasWholeHost || text == part || path == part && part.count > 1
}
