import Glibc

/// What holds for all transfers of a ``Downloader``.
public struct DownloaderConfiguration: Sendable {
  /// Transfers at once; fewer run where the process may open too few descriptors for them.
  public var jobs = 64
  /// Transfers at once that begin at the same scheme, host and port.
  public var perHost = 4
  /// A transfer from which nothing has come for so long doesn't count towards ``jobs``, until something comes: slow
  /// hosts never delay others. Up to four times ``jobs`` may be open then.
  public var silence = Duration.seconds(1)
  /// Where so many transfers in a row got no answer from the host that they began at, and none in between did, those that
  /// wait for it end as ``DownloadError/hostSilent(transfers:proxy:)``: a dead host costs one timeout, however much is wanted of
  /// it.
  public var enoughSilence = 4
  /// The User-Agent of every request.
  public var userAgent: String
  /// A file with the certificates that are trusted; nil stands for the system's.
  ///
  /// By default what CURL_CA_BUNDLE or SSL_CERT_FILE name.
  public var certificateFile = environment("CURL_CA_BUNDLE") ?? environment("SSL_CERT_FILE")
  /// Whether addresses of private networks and of this machine may be connected to, also after a redirect.
  ///
  /// When false, a proxy must have a public address too: it's what is connected to, and where it goes on to is
  /// out of sight.
  public var allowsPrivateAddresses = true
  /// Which addresses are public; tests have no network but this machine.
  var isPublic: @Sendable ([UInt8]) -> Bool = AddressPolicy.isPublic

  /// The recommended settings.
  ///
  /// - Parameter userAgent: Names the program and where its people can be reached.
  public init(userAgent: String) {
    self.userAgent = userAgent
  }

  /// ``jobs``, or what the limit of open descriptors allows.
  var jobsWithinDescriptors: Int { withinDescriptors(jobs) }

  /// Transfers at once with those that are silent.
  var openWithinDescriptors: Int { withinDescriptors(jobs * 4) }

  /// Connections that are kept for later requests: more than are used at once, so that a host's are still there
  /// when its next turn comes.
  var keptConnections: Int { openWithinDescriptors }

  private func withinDescriptors(_ wanted: Int) -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return max(1, wanted)
    }
    return Self.jobs(wanted, descriptors: Int(clamping: limit.rlim_cur))
  }

  /// How many of `wanted` transfers run at once where `descriptors` may be open.
  ///
  /// A transfer needs up to three (two attempts to connect, or a name look-up's pair), and the store, the
  /// terminal and the loop itself need some too.
  static func jobs(_ wanted: Int, descriptors: Int) -> Int {
    max(1, min(wanted, (descriptors - 24) / 3))
  }

  /// Whether requests go through a proxy, as libcurl will find out from the environment itself.
  static var hasProxy: Bool {
    ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { environment($0) != nil }
  }
}
