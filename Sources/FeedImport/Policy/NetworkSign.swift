import HTTPDownload
import WebAddress

/// Information about the network from the end of a poll.
enum NetworkSign: Sendable, Equatable {
  /// The feed's server answered.
  case reached
  /// No request was made.
  case nothing
  /// No server answered. The cause may be this machine's own network, or its proxy.
  case unreachable
  /// The proxy answered that it could not reach the server. The cause may be the proxy itself.
  case refusedByProxy
  /// The network or the proxy answered instead of the server.
  case intercepted(OutageCause)
  /// A page answered that may be the network's login page: it is the same for feeds of several sites.
  case page(Page)
  /// The connection failed in a way that is typical for a network with a login page.
  case broken
  /// The server's certificate could not be verified, because of the server, the network, or this machine.
  case untrusted
  /// A setting on this machine prevents the request. The server is not the cause, whether others answer or
  /// not.
  case unusableSettings

  /// The mark that identifies equal pages.
  enum Page: Sendable, Hashable {
    /// A page from another site, to which the feed was redirected.
    case site(String)
    /// A page with this hash of its elements.
    case content(Int64)
  }

  /// - Parameters:
  ///   - error: The transfer's failure.
  ///   - address: The address that was polled.
  init(_ error: DownloadError, at address: WebAddress) {
    switch error {
    // 407 (RFC 9110, 15.5.8) and no answer come from the proxy; other statuses may come from the server.
    case .proxyFailed(_, let status):
      self = [0, 407].contains(status) ? .intercepted(.proxy) : .refusedByProxy
    case _ where error.isUnreachable: self = .unreachable
    case .unusableCertificates: self = .unusableSettings
    case _ where error.isUnsent: self = .nothing
    case .redirected(_, .hostClosed): self = .nothing
    case .redirected(let place, let cause):
      self = Self.foreignSite(place, from: address).map { .page(.site($0)) } ?? NetworkSign(cause, at: place)
    case .untrusted: self = .untrusted
    case .tls, .timedOut, .connectionLost: self = .broken
    default: self = .reached
    }
  }

  /// Creates the sign for an answer; nil if only its document shows where it comes from.
  ///
  /// - Parameters:
  ///   - head: The answer's head.
  ///   - address: The address that was polled.
  init?(_ head: ResponseHead, at address: WebAddress) {
    switch (head.interception, Verdict(head)) {
    case (.network, _): self = .intercepted(.loginPage)
    case (.proxy(isCertain: true), _): self = .intercepted(.proxy)
    case (.proxy(isCertain: false), _): self = .refusedByProxy
    case (nil, .notModified): self = .reached
    case (nil, .articles): return nil
    case (nil, .failure), (nil, .refusal):
      self = Self.foreignSite(head.address, from: address).map { .page(.site($0)) } ?? .reached
    }
  }

  /// Creates the sign for an answer with a document.
  ///
  /// - Parameter page: The hash of its elements if it is a web page; nil for a feed, or any other document.
  init(_ head: ResponseHead, page: Int64?, at address: WebAddress) {
    guard let page else {
      self = .reached
      return
    }
    self = .page(Self.foreignSite(head.address, from: address).map { .site($0) } ?? .content(page))
  }

  /// True if the poll may not be the feed's failure: this is decided later, with the run's other feeds.
  var isDoubtful: Bool {
    switch self {
    case .reached, .nothing, .unusableSettings: false
    case .unreachable, .refusedByProxy, .intercepted, .page, .broken, .untrusted: true
    }
  }

  // MARK: Sites

  /// Returns an address's site: the host's last two labels, or an IP address with its port.
  static func site(of address: WebAddress) -> String {
    guard let host = address.host, let origin = address.origin else { return address.text }
    let labels = host.split(separator: ".")
    // A name's last label never ends with a digit (RFC 3696, section 2).
    guard let last = labels.last?.utf8.last, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last),
      !host.hasPrefix("[")
    else { return String(origin.drop { $0 != "/" }) }
    return labels.suffix(2).joined(separator: ".")
  }

  /// Returns an answer's site; nil if it is the site that was polled.
  private static func foreignSite(_ answered: WebAddress, from address: WebAddress) -> String? {
    let site = site(of: answered)
    return site == Self.site(of: address) ? nil : site
  }
}

/// The probable reason why no server could be reached.
public enum OutageCause: Sendable, Equatable {
  /// The network has failed.
  case network
  /// The proxy refuses to reach servers.
  case proxy
  /// The network answers with its own page, such as a login page.
  case loginPage
  /// No server's certificate can be verified.
  case certificates
  /// A setting on this machine cannot be used.
  case settings

  /// Returns the cause, if the network or this machine is the reason why a run reached no feed; nil if the
  /// feeds have failed.
  ///
  /// - Parameter polls: The polls for all feeds that were not reached.
  init?(_ polls: [(sign: NetworkSign, site: String, hasWorked: Bool)]) {
    let pages = polls.compactMap { poll in
      if case .page(let page) = poll.sign { (page, poll.site) } else { nil }
    }
    // A page that only one site has is that site's own answer.
    if !pages.isEmpty {
      guard Set(pages.map(\.0)).count == 1, Set(pages.map(\.1)).count > 1 else { return nil }
      self = .loginPage
      return
    }
    for case .intercepted(let cause) in polls.map(\.sign) {
      self = cause
      return
    }
    let refused = polls.filter { $0.sign == .refusedByProxy }
    if refused.count == polls.count, Set(refused.map(\.site)).count > 1 {
      self = .proxy
      return
    }
    guard polls.contains(where: \.hasWorked) else { return nil }
    let broken = polls.filter { $0.sign != .unreachable && $0.sign != .refusedByProxy }
    if broken.isEmpty {
      self = refused.isEmpty ? .network : .proxy
    } else if broken.count == polls.count, broken.allSatisfy({ $0.sign == .untrusted }),
      Set(polls.map(\.site)).count > 1
    {
      self = .certificates
    } else {
      return nil
    }
  }
}
