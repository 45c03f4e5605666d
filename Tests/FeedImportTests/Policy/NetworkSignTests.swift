import HTTPDownload
import TestSupport
import Testing
import WebAddress

@testable import FeedImport

/// The information that answers and failures give about the network.
@Suite struct NetworkSignTests {
  private let feed: WebAddress = "http://a.example/feed"

  private func head(_ status: Int, at address: WebAddress = "http://a.example/feed") -> ResponseHead {
    ResponseHead(status: status, address: address)
  }

  @Test(arguments: [304, 404, 410, 500, 503])
  func `an answer of the feed's own server shows that it was reached`(status: Int) {
    #expect(NetworkSign(head(status), at: feed) == .reached)
    #expect(NetworkSign(head(status, at: "https://www.a.example/feed"), at: feed) == .reached)
  }

  @Test func `an error status after a redirect to another site may be the network's`() {
    let sign = NetworkSign(head(403, at: "http://portal.example/login"), at: "http://a.test/feed")
    #expect(sign == .page(.site("portal.example")))
    #expect(NetworkSign(head(200), at: feed) == nil)
  }

  @Test func `a web page may be the network's, a feed is not`() {
    let portal: WebAddress = "http://portal.test/"
    #expect(NetworkSign(head(200), page: nil, at: feed) == .reached)
    #expect(NetworkSign(head(200, at: portal), page: nil, at: feed) == .reached)
    #expect(NetworkSign(head(200, at: portal), page: 7, at: feed) == .page(.site("portal.test")))
    #expect(NetworkSign(head(200), page: 7, at: feed) == .page(.content(7)))
  }

  @Test func `an answer of the proxy or of the network is recognized`() {
    var head = head(511)
    head.interception = .network
    #expect(NetworkSign(head, at: feed) == .intercepted(.loginPage))
    head.interception = .proxy(isCertain: true)
    #expect(NetworkSign(head, at: feed) == .intercepted(.proxy))
    head.interception = .proxy(isCertain: false)
    #expect(NetworkSign(head, at: feed) == .refusedByProxy)
  }

  @Test(
    arguments: [
      (.couldNotConnect(cause: ""), .unreachable), (.proxyFailed(cause: ""), .intercepted(.proxy)),
      (.proxyFailed(cause: "", status: 407), .intercepted(.proxy)),
      (.proxyFailed(cause: "", status: 502), .refusedByProxy),
      (.timedOut(seconds: 1, phase: .resolving), .unreachable),
      (.timedOut(seconds: 1, phase: .securing), .broken),
      (.unusableCertificates(cause: ""), .unusableSettings), (.cancelled, .nothing), (.hostClosed, .nothing),
      (.untrusted(cause: ""), .untrusted), (.connectionLost(cause: ""), .broken),
      (.truncated(cause: ""), .reached),
      (.redirected(to: "http://portal.test/", .couldNotConnect(cause: "")), .page(.site("portal.test"))),
      (.redirected(to: "http://www.a.example/", .truncated(cause: "")), .reached),
    ] as [(DownloadError, NetworkSign)])
  func `a failure shows whether a server was reached`(error: DownloadError, sign: NetworkSign) {
    #expect(NetworkSign(error, at: feed) == sign)
  }

  @Test(arguments: [
    ("http://www.a.example/", "a.example"), ("http://a.example:8080/", "a.example"), ("http://host/", "host"),
    ("http://127.0.0.1:81/", "//127.0.0.1:81"), ("http://[::1]:81/", "//[::1]:81"),
  ])
  func `a site is a name's end, or an address with its port`(address: String, site: String) {
    #expect(NetworkSign.site(of: WebAddress(address)) == site)
  }

  // MARK: Decisions

  private typealias Poll = (sign: NetworkSign, site: String, hasWorked: Bool)

  private let portal = NetworkSign.page(.site("portal.test"))

  @Test func `a network that nobody reaches has failed, if a feed has ever worked`() {
    #expect(OutageCause([(.unreachable, "a", true), (.unreachable, "b", false)]) == .network)
    #expect(OutageCause([(.unreachable, "a", false)]) == nil)
    #expect(OutageCause([(.unreachable, "a", true), (.broken, "b", true)]) == nil)
  }

  @Test func `the same page of two sites is the network's, and that of one site its own`() {
    #expect(OutageCause([(portal, "a", false), (portal, "b", false)]) == .loginPage)
    #expect(OutageCause([(portal, "a", true), (portal, "a", true)]) == nil)
    #expect(OutageCause([(portal, "a", true), (.page(.content(1)), "b", true)]) == nil)
    #expect(OutageCause([(.page(.content(1)), "a", false), (.page(.content(1)), "b", false)]) == .loginPage)
    // Encrypted feeds get no page.
    let others: [Poll] = [(.broken, "c", true), (.untrusted, "d", true), (.unreachable, "e", true)]
    #expect(OutageCause([(portal, "a", true), (portal, "b", true)] + others) == .loginPage)
    #expect(OutageCause([(portal, "a", true), (.unreachable, "b", true)]) == nil)
  }

  @Test func `one answer of the network or the proxy is enough`() {
    #expect(OutageCause([(.intercepted(.loginPage), "a", false)]) == .loginPage)
    #expect(OutageCause([(.unreachable, "a", true), (.intercepted(.proxy), "b", false)]) == .proxy)
  }

  @Test func `a proxy that refuses all of several sites, or one that has worked, has failed`() {
    #expect(OutageCause([(.refusedByProxy, "a", false), (.refusedByProxy, "b", false)]) == .proxy)
    #expect(OutageCause([(.refusedByProxy, "a", false)]) == nil)
    #expect(OutageCause([(.refusedByProxy, "a", true), (.unreachable, "b", false)]) == .proxy)
  }

  @Test func `if no certificate of several sites can be verified, this machine is the cause`() {
    #expect(OutageCause([(.untrusted, "a", true), (.untrusted, "b", false)]) == .certificates)
    #expect(OutageCause([(.untrusted, "a", true), (.untrusted, "a", true)]) == nil)
    #expect(OutageCause([(.untrusted, "a", true), (.broken, "b", true)]) == nil)
  }
}
