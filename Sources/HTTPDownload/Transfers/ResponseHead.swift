public import WebAddress

/// The final response's head.
public struct ResponseHead: Sendable, Hashable {
  /// The status code. The sink receives only bodies with 200 and 203, and with 226 if a partial feed was
  /// requested.
  public var status: Int
  /// The entity tag, byte for byte; nil if it is missing, too long or contains control bytes.
  public var etag: [UInt8]?
  /// The Last-Modified value, byte for byte and unchecked; nil as for ``etag``.
  public var lastModified: [UInt8]?
  /// The Content-Type value with its parameters.
  public var contentType: String?
  /// The content codings that the server states, such as `gzip`. The body that the sink receives is decoded.
  public var contentEncoding: String?
  /// The body's encoded size according to the server (Content-Length); nil without.
  public var contentLength: Int?
  /// The Retry-After value, unparsed: seconds or a date.
  public var retryAfter: String?
  /// The fields that state how many requests the server allows; nil without any.
  public var limitFields: LimitFields?
  /// All Cache-Control values, joined by commas.
  public var cacheControl: String?
  /// The Expires value, unparsed.
  public var expires: String?
  /// The Date value, unparsed, to which ``expires`` relates.
  public var date: String?
  /// True if the request that it answers, the last after all redirects, was conditional.
  public var wasConditional = false
  /// All Link values, joined by commas.
  public var link: String?
  /// True if the server rejects programs by a challenge that only browsers can solve.
  public var isChallenge = false
  /// The sign that the response does not come from the server; nil without one.
  public var interception: Interception?
  /// The address that answered, after all redirects; may contain the request's user and password.
  public var address: WebAddress
  /// The redirects that were followed, in order.
  public var redirects: [Redirect]

  /// The fields that state how many requests a server allows, unparsed.
  public struct LimitFields: Sendable, Hashable {
    /// All RateLimit values, joined by commas (draft of the IETF's httpapi group).
    public var rateLimit: String?
    /// The first field present among RateLimit-Reset, X-RateLimit-Reset and X-Rate-Limit-Reset.
    public var reset: String?
    /// The first field present among RateLimit-Remaining, X-RateLimit-Remaining and X-Rate-Limit-Remaining.
    public var remaining: String?

    /// Creates an answer's fields.
    public init(rateLimit: String? = nil, reset: String? = nil, remaining: String? = nil) {
      (self.rateLimit, self.reset, self.remaining) = (rateLimit, reset, remaining)
    }
  }

  /// Creates a head without fields, for tests.
  public init(status: Int, address: WebAddress) {
    self.status = status
    self.address = address
    redirects = []
  }

  /// The sender of a response that is not from the server.
  public enum Interception: Sendable, Hashable {
    /// The network, which wants a login (511).
    case network
    /// The proxy. It is certain for 407; another error may also be the server's.
    case proxy(isCertain: Bool)
  }

  /// True if the body is the requested document: for 200, and for 203, which a proxy may have changed
  /// (RFC 9110, 15.3.4).
  public var isDocument: Bool { Self.isDocument(status) }

  static func isDocument(_ status: Int) -> Bool { status == 200 || status == 203 }

  /// True if the body contains only what is new since the validators that were sent (RFC 3229).
  public var isPartialFeed: Bool { status == 226 }

  /// The new address of a feed that has permanently moved: the target after the leading permanent redirects;
  /// nil without one.
  public var permanentAddress: WebAddress? {
    redirects.prefix(while: \.isPermanent).last?.target
  }
}

/// One redirect that was followed.
public struct Redirect: Sendable, Hashable {
  /// The status: 301, 302, 303, 307 or 308. libcurl also follows any other from 300 to 399 with a location.
  public var status: Int
  /// The absolute address to which it leads.
  public var target: WebAddress

  /// Creates a redirect to an absolute address.
  public init(status: Int, target: WebAddress) {
    self.status = status
    self.target = target
  }

  /// True if the redirect is permanent.
  public var isPermanent: Bool { status == 301 || status == 308 }
}

/// A response that was received completely.
public struct DownloadSummary: Sendable, Hashable {
  /// The final response's head.
  public var head: ResponseHead
  /// The count of body bytes that were passed to the sink.
  public var decodedBytes: Int
  /// The count of bytes transferred for the final response's body, before decoding.
  public var wireBytes: Int
  /// The time from leaving the queue to the answer's first byte.
  public var firstByteSeconds: Double
  /// The time from leaving the queue to the end, without pauses by the sink.
  public var totalSeconds: Double
  /// The count of connections that were opened for this transfer; 0 if all were reused.
  public var connectionsOpened: Int

  /// Creates a summary without measurements, for tests.
  public init(head: ResponseHead) {
    self.head = head
    decodedBytes = 0
    wireBytes = 0
    firstByteSeconds = 0
    totalSeconds = 0
    connectionsOpened = 0
  }
}
