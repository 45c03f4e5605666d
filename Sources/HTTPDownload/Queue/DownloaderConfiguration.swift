import Glibc

/// Settings for all transfers in a ``Downloader``.
public struct DownloaderConfiguration: Sendable {
  /// The maximum number of concurrent transfers. Fewer run if the process may not open enough descriptors.
  public var jobs = 64
  /// The maximum number of concurrent transfers that begin at the same scheme, host and port.
  public var perHost = 4
  /// The time in which a host's queued transfers should end, as its last answers suggest.
  ///
  /// A host begins with one transfer at a time, and gets one more after an answer, up to ``perHost``, if its
  /// queue would take longer. Fast hosts therefore have one connection, and a host that limits requests refuses
  /// few. With zero, each host has ``perHost`` transfers from the beginning.
  public var patience = Duration.zero
  /// The time without received data after which a transfer no longer counts towards ``jobs``, until it
  /// receives data again. Slow hosts therefore do not delay others. Up to four times ``jobs`` transfers may
  /// be open in total.
  public var silence = Duration.seconds(1)
  /// The count of consecutive unanswered transfers after which a host counts as silent.
  ///
  /// The host's queued transfers then end with ``DownloadError/hostSilent(transfers:proxy:)``. An unreachable
  /// host therefore costs one timeout, however many requests it has.
  public var enoughSilence = 4
  /// True to close a connection after a response if no request waits for its host.
  ///
  /// When another process takes its turn, an idle connection of this process is then not one client too many.
  /// Use false for requests that follow one another.
  public var closesIdleConnections = false
  /// The time after which an idle connection is not used again, in whole seconds (CURLOPT_MAXAGE_CONN, with
  /// libcurl's default).
  public var idleConnectionAge = Duration.seconds(118)
  /// The User-Agent of every request.
  public var userAgent: String
  /// A file with the trusted certificates; nil selects the system's certificates.
  ///
  /// The default is the value of CURL_CA_BUNDLE or SSL_CERT_FILE.
  public var certificateFile = CertificateFile.variable.flatMap(environment)
  /// The environment variables that name different files with trusted certificates; nil if they do not. Only the
  /// first one's file is used.
  public static var certificateVariables: (used: String, ignored: String)? {
    guard let used = CertificateFile.variable, let ignored = CertificateFile.ignoredVariable else {
      return nil
    }
    return (used, ignored)
  }
  /// The reason why ``certificateFile`` cannot be used; nil if it can.
  var certificateProblem: String?
  /// True if connections to private networks and to this machine are allowed, including after a redirect.
  ///
  /// If false, a proxy needs a public address as well. The check covers only the connection to the proxy: the
  /// addresses to which the proxy connects are not visible.
  public var allowsPrivateAddresses = true
  /// Returns the time. Tests replace it to simulate a process that is stopped for hours.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }
  /// Returns whether an address is public. Tests replace it, because their only network is this machine.
  var isPublic: @Sendable ([UInt8]) -> Bool = AddressPolicy.isPublic

  /// Creates the recommended settings.
  ///
  /// - Parameter userAgent: The name of the program, and how to contact its operators.
  public init(userAgent: String) {
    self.userAgent = userAgent
  }

  /// ``jobs``, limited by the descriptor count that the process may open.
  var jobsWithinDescriptors: Int { withinDescriptors(jobs) }

  /// The maximum number of concurrent transfers including silent ones.
  var openWithinDescriptors: Int { withinDescriptors(jobs * 4) }

  private func withinDescriptors(_ wanted: Int) -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return max(1, wanted)
    }
    return Self.jobs(wanted, descriptors: Int(clamping: limit.rlim_cur))
  }

  /// Returns how many of `wanted` transfers may run concurrently with at most `descriptors` open descriptors.
  ///
  /// A transfer needs up to three (two attempts to connect, or the pair for a name lookup). The store, the
  /// terminal and the loop itself also need some.
  static func jobs(_ wanted: Int, descriptors: Int) -> Int {
    max(1, min(wanted, (descriptors - 24) / 3))
  }

  /// True if the environment names a proxy; libcurl reads the same variables itself.
  static var hasProxy: Bool {
    ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { environment($0) != nil }
  }
}
