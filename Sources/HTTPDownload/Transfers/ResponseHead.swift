public import WebAddress

/// What the final response said before its body.
public struct ResponseHead: Sendable, Hashable {
  /// The status code; only the body of 200 is handed over, and that of 226 where a partial feed was asked for.
  public var status: Int
  /// The entity tag, byte for byte; nil when absent, too long or with control bytes.
  public var etag: [UInt8]?
  /// The Last-Modified value, byte for byte, whatever it is; nil as for ``etag``.
  public var lastModified: [UInt8]?
  /// The Content-Type value with its parameters.
  public var contentType: String?
  /// The codings that libcurl took off the body, such as `gzip`.
  public var contentEncoding: String?
  /// How long the body is on its way, as the server says (Content-Length); nil when it does not say.
  public var contentLength: Int?
  /// The Retry-After value as it came: seconds or a date.
  public var retryAfter: String?
  /// All Cache-Control values, joined by commas.
  public var cacheControl: String?
  /// The Expires value as it came.
  public var expires: String?
  /// The server's clock, as it came, to which ``expires`` relates.
  public var date: String?
  /// Whether the request that it answers, the last of all redirects, was conditional.
  public var wasConditional = false
  /// The address that answered, after all redirects; may contain the request's user and password.
  public var address: WebAddress
  /// The redirects that were followed, in order.
  public var redirects: [Redirect]

  /// A head without any field, for tests of what uses heads.
  public init(status: Int, address: WebAddress) {
    self.status = status
    self.address = address
    redirects = []
  }

  /// Whether the body has only what is new since the validators that were sent (RFC 3229).
  public var isPartialFeed: Bool { status == 226 }

  /// The new address of a feed that has moved for good: the end of the leading permanent redirects; nil without.
  public var permanentAddress: WebAddress? {
    redirects.prefix(while: \.isPermanent).last?.target
  }
}

/// One redirect that was followed.
public struct Redirect: Sendable, Hashable {
  /// 301, 302, 303, 307 or 308; libcurl follows any other from 300 to 399 that has a location too.
  public var status: Int
  /// The absolute address to which it leads.
  public var target: WebAddress

  /// A redirect to an absolute address.
  public init(status: Int, target: WebAddress) {
    self.status = status
    self.target = target
  }

  /// Whether the server says that the old address needn't be asked again.
  public var isPermanent: Bool { status == 301 || status == 308 }
}

/// A response that came completely.
public struct DownloadSummary: Sendable, Hashable {
  /// The head of the final response.
  public var head: ResponseHead
  /// Bytes of the body that were handed to the sink.
  public var decodedBytes: Int
  /// Bytes of the final response's body as they came over the network.
  public var wireBytes: Int
  /// From leaving the queue to the first byte of the answer.
  public var firstByteSeconds: Double
  /// From leaving the queue to the end, without the time in which the sink paused the transfer.
  public var totalSeconds: Double
  /// The protocol of the final response: `1.0`, `1.1`, `2` or `3`.
  public var httpVersion: String
  /// How many connections were opened for this transfer; 0 when all were at hand.
  public var connectionsOpened: Int

  /// A summary without any measurement, for tests of what uses summaries.
  public init(head: ResponseHead) {
    self.head = head
    decodedBytes = 0
    wireBytes = 0
    firstByteSeconds = 0
    totalSeconds = 0
    httpVersion = "1.1"
    connectionsOpened = 0
  }
}
