import FeedParsing
import Foundation
import WebAddress

/// Decides which addresses are requested, one after the other, to find an address's feed.
///
/// It is a value without network access: the next request follows from the answers so far.
struct FeedSearch {
  /// The answer for one address.
  enum Answer: Sendable, Equatable {
    case feed(FoundFeed)
    /// Another document, with the feeds that it links to, best first.
    case page(looksLike: String, address: WebAddress, links: [FeedLink])
    /// A feed that is damaged or exceeds a limit; the cause in words.
    case unusable(String)
    /// No document.
    case failed(SingleDownload.Failure)
  }

  /// The usual feed paths, the most usual first.
  static let usualPaths = ["/feed", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]
  /// The maximum number of links tried on one page.
  static let mostLinks = 3
  /// The maximum number of requests.
  static let mostRequests = 8

  private let address: WebAddress
  /// The feed that ``SiteFeeds`` has for the address; nil for none.
  private let known: WebAddress?
  private var waiting: [WebAddress]
  private var asked: [WebAddress] = []
  /// The search's result; nil while it continues.
  private var outcome: Result<FoundFeed, Discovery.Failure>?
  /// The description of the first document, if it was not a feed.
  private var page: String?
  /// The feeds that the page declares.
  private var declared: [FeedLink] = []
  /// The links that are tried.
  private var tried: Set<WebAddress> = []
  /// The reason why the first tried link cannot be used.
  private var linkCause: String?
  private var hasAnswerOfLink = false
  /// The first usual path that the server rejected.
  private var busyPlace: (address: WebAddress, failure: SingleDownload.Failure)?

  init(_ address: WebAddress) {
    self.address = address
    known = SiteFeeds.feed(ofPage: address)
    waiting = [known, address].compactMap(\.self)
  }

  /// The next address to request; nil after the search.
  var next: WebAddress? { outcome == nil ? waiting.first : nil }

  /// Adds the answer from ``next``.
  mutating func take(_ answer: Answer) {
    guard let address = next else { return }
    waiting.removeFirst()
    asked.append(address)
    if address == known, let failure = answer.failure, failure.status == nil || failure.isBusy {
      outcome = .failure(Self.failure(of: "\(address): \(failure.cause)", failure))
      return
    }
    switch answer {
    case .feed(let feed):
      declared.removeAll { asked.contains(WebAddress($0.url)) || WebAddress($0.url) == feed.address }
      outcome = .success(feed)
    // A site that does not have the known feed has the page.
    case _ where address == known: return
    case .page(let looksLike, let place, let links) where address == self.address:
      page = looksLike
      follow(links, of: place)
    case .page(let looksLike, _, _): note("not a feed: \(looksLike)", of: address)
    case .unusable(let cause): note(cause, of: address)
    case .failed(let failure): note(failure.cause, of: address, failure)
    }
  }

  var result: Discovery {
    Discovery(
      address: address, outcome: outcome ?? .failure(failure), others: declared, requests: asked.count)
  }

  private mutating func follow(_ links: [FeedLink], of place: WebAddress) {
    let usable = links.filter { WebAddress($0.url).problem == nil }
    declared = usable.filter(\.isDeclared)
    waiting = usable.prefix(Self.mostLinks).map { WebAddress($0.url) }
    tried = Set(waiting)
    // If a page names its feeds, usual paths are not tried.
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
      outcome = .failure(Self.failure(of: cause, failure))
      return
    }
    if tried.contains(address) {
      linkCause = linkCause ?? "\(address): \(cause)"
      if failure == nil { hasAnswerOfLink = true }
    }
    if let failure, !tried.contains(address), failure.isBusy, busyPlace == nil {
      busyPlace = (address, failure)
    }
    // A server that cannot be reached or requests a pause is not asked for more.
    if let failure, failure.status == nil || failure.isBusy,
      let root = Self.root(of: address)
    {
      waiting = waiting.filter { Self.root(of: $0) != root }
    }
  }

  private static func failure(of cause: String, _ failure: SingleDownload.Failure?) -> Discovery.Failure {
    guard let failure else {
      return Discovery.Failure(kind: .noFeed, cause: cause, advice: "name another feed of the site")
    }
    return Discovery.Failure(
      kind: .unavailable, cause: cause, advice: advice(failure), notBefore: failure.notBefore)
  }

  private static func advice(_ failure: SingleDownload.Failure) -> String {
    if failure.notBefore == nil, let advice = failure.reason?.refusalAdvice { return advice }
    return switch failure.status {
    case _ where failure.notBefore != nil: "try again later"
    case nil where failure.isRefused: "nothing was requested; take the address of a public host"
    case nil: "check the address, or try again later"
    case 429?: "try again later"
    case let status? where (400..<500).contains(status): "check the address"
    default: "try again later"
    }
  }

  /// The failure after the page led to no feed.
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
        cause: "\(page) without a link to a feed, and its usual paths could not be requested: "
          + "\(address): \(failure.cause)",
        advice: Self.advice(failure), notBefore: failure.notBefore)
    }
    return Discovery.Failure(
      kind: .noFeed, cause: "\(page) without a link to a feed, and no feed at the usual paths",
      advice: "look for the feed's address on the site, and add that")
  }

  /// Returns an address's scheme, host and port; nil if it is not absolute.
  private static func root(of address: WebAddress) -> String? {
    let url = address.text
    guard let separator = url.firstRange(of: "://") else { return nil }
    let end = url[separator.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return String(url[..<end])
  }
}

extension FeedSearch.Answer {
  /// The failure; nil for a document.
  fileprivate var failure: SingleDownload.Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

extension SingleDownload.Failure {
  /// True if the server rejected the client and requested a pause.
  fileprivate var isBusy: Bool { status.map(Verdict.rejects) ?? false }
}
