import FeedParsing
import Foundation
import WebAddress

/// Decides which addresses are asked, one after the other, to find the feed that somebody means by one of them.
///
/// A value without any network: what is asked next follows from the answers so far.
struct FeedSearch {
  /// What an address turned out to be.
  enum Answer: Sendable, Equatable {
    case feed(FoundFeed)
    /// Something else, with the feeds that it links to, the best first.
    case page(looksLike: String, address: WebAddress, links: [FeedLink])
    /// A feed that is damaged or over a limit; the cause in words.
    case unusable(String)
    /// There was no document.
    case failed(SingleDownload.Failure)
  }

  /// Where feeds are when no link leads to them, the most usual first.
  static let usualPaths = ["/feed", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]
  /// So many links of a page are tried.
  static let mostLinks = 3
  /// So many addresses are asked in all.
  static let mostRequests = 8

  private let address: WebAddress
  private var waiting: [WebAddress]
  private var asked: [WebAddress] = []
  /// How the search ended; nil while there may be something to ask.
  private var outcome: Discovery.Outcome?
  /// What the first document was, when it was no feed.
  private var page: String?
  /// The feeds that the page declares.
  private var declared: [FeedLink] = []
  /// The links that are tried.
  private var tried: Set<WebAddress> = []
  /// Why the first of them is of no use.
  private var linkCause: String?
  private var hasAnswerOfLink = false
  /// The first usual place whose server turned us away.
  private var busyPlace: (address: WebAddress, failure: SingleDownload.Failure)?

  /// Begins at the address that was given.
  init(_ address: WebAddress) {
    self.address = address
    waiting = [address]
  }

  /// The address to ask next; nil when the search has ended.
  var next: WebAddress? { outcome == nil ? waiting.first : nil }

  /// Takes the answer of the address that is ``next``.
  mutating func take(_ answer: Answer) {
    guard let address = next else { return }
    waiting.removeFirst()
    asked.append(address)
    switch answer {
    case .feed(let feed):
      declared.removeAll { asked.contains(WebAddress($0.url)) || WebAddress($0.url) == feed.address }
      outcome = .found(feed)
    case .page(let looksLike, let place, let links) where asked.count == 1:
      page = looksLike
      follow(links, of: place)
    case .page(let looksLike, _, _): note("not a feed: \(looksLike)", of: address)
    case .unusable(let cause): note(cause, of: address)
    case .failed(let failure): note(failure.cause, of: address, failure)
    }
  }

  /// What the search has found.
  var result: Discovery {
    Discovery(address: address, outcome: outcome ?? .failed(failure), others: declared, requests: asked.count)
  }

  private mutating func follow(_ links: [FeedLink], of place: WebAddress) {
    let usable = links.filter { WebAddress($0.url).problem == nil }
    declared = usable.filter(\.isDeclared)
    waiting = usable.prefix(Self.mostLinks).map { WebAddress($0.url) }
    tried = Set(waiting)
    // A page that names its feeds has no others worth guessing.
    if declared.isEmpty, let root = Self.root(of: place) {
      waiting += Self.usualPaths.map { WebAddress(root + $0) }
    }
    var known = Set(asked)
    waiting = Array(waiting.filter { known.insert($0).inserted }.prefix(Self.mostRequests - asked.count))
  }

  private mutating func note(
    _ cause: String, of address: WebAddress, _ failure: SingleDownload.Failure? = nil
  ) {
    guard page != nil else {
      outcome = .failed(Self.failure(of: cause, failure))
      return
    }
    if tried.contains(address) {
      linkCause = linkCause ?? "\(address): \(cause)"
      if failure == nil { hasAnswerOfLink = true }
    }
    if let failure, !tried.contains(address), failure.isBusy, busyPlace == nil {
      busyPlace = (address, failure)
    }
    // A server that cannot be reached or wants to be left alone is not asked for more.
    if let failure, failure.status == nil || failure.isBusy,
      let root = Self.root(of: address)
    {
      waiting = waiting.filter { Self.root(of: $0) != root }
    }
  }

  /// Why there is nothing at the address that was given.
  private static func failure(of cause: String, _ failure: SingleDownload.Failure?) -> Discovery.Failure {
    guard let failure else {
      return Discovery.Failure(kind: .noFeed, cause: cause, advice: "name another feed of the site")
    }
    return Discovery.Failure(
      kind: .unavailable, cause: cause, advice: advice(failure), notBefore: failure.notBefore)
  }

  private static func advice(_ failure: SingleDownload.Failure) -> String {
    switch failure.status {
    case _ where failure.notBefore != nil: "try again later"
    case nil where failure.isRefused: "nothing was asked; take the address of a public host"
    case nil: "check the address, or try again later"
    case 429?: "try again later"
    case let status? where (400..<500).contains(status): "check the address"
    default: "try again later"
    }
  }

  /// Why nothing was found behind the page.
  private var failure: Discovery.Failure {
    let page = page ?? "no document"
    if !declared.isEmpty, let linkCause {
      return Discovery.Failure(
        kind: hasAnswerOfLink ? .noFeed : .unavailable,
        cause: "\(page), and the feed that it links to is of no use: \(linkCause)",
        advice: "try again later, or add another feed of the site")
    }
    if let (address, failure) = busyPlace {
      return Discovery.Failure(
        kind: .unavailable,
        cause: "\(page) without a link to a feed, and its usual places could not be asked: "
          + "\(address): \(failure.cause)",
        advice: Self.advice(failure), notBefore: failure.notBefore)
    }
    return Discovery.Failure(
      kind: .noFeed, cause: "\(page) without a link to a feed, and there is none in the usual places",
      advice: "look for the feed's address on the site, and add that")
  }

  /// Scheme, host and port of an address; nil when it is not absolute.
  private static func root(of address: WebAddress) -> String? {
    let url = address.text
    guard let separator = url.firstRange(of: "://") else { return nil }
    let end = url[separator.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return String(url[..<end])
  }
}

extension SingleDownload.Failure {
  /// Whether the server turned the client away, and wants to be left alone for a while.
  fileprivate var isBusy: Bool { status.map(Verdict.turnsAway) ?? false }
}
