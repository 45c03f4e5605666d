public import WebAddress

/// One GET request.
public struct DownloadRequest: Sendable {
  /// The address; an invalid one makes the transfer fail with ``DownloadError/invalidAddress(_:)``.
  public var address: WebAddress
  /// The ETag from an earlier response, sent byte for byte as If-None-Match; nil sends none.
  public var etag: [UInt8]?
  /// The Last-Modified from an earlier response, sent byte for byte as If-Modified-Since; nil sends none.
  public var lastModified: [UInt8]?
  /// The address that sent the validators.
  ///
  /// They are sent only to this address, also after a redirect; user information and fragment are ignored.
  /// Nil sends them to every address.
  public var validatorsAddress: WebAddress?
  /// True if a feed's server may leave out articles that the earlier answer contained (RFC 3229, with the
  /// `feed` instance manipulation).
  ///
  /// A conditional request then has `A-IM: feed`, and the body of a 226 response with `IM: feed` counts like
  /// a 200 response's body.
  public var acceptsPartialFeed = false
  /// True if the sink receives the beginning of a body that breaks off or exceeds a limit.
  ///
  /// The sink receives it before the failure is reported, even while it paused the transfer.
  public var keepsCutBody = false
  /// True if the caller repeats the request after ``DownloadError/withheld``.
  ///
  /// A transfer then ends with that error if its connection fails after the process was stopped or the
  /// machine suspended: the server may have given up in that time.
  public var isRepeated = false
  /// True if the host gets one transfer at a time, because it limits requests.
  public var isSingle = false
  /// Additional header fields. They are never sent to another host, port or scheme after a redirect.
  public var headers: [HeaderField]
  /// The User-Agent, also after a redirect; nil for the downloader's User-Agent.
  public var userAgent: String?
  /// The transfer's limits.
  public var limits: DownloadLimits

  /// Creates a request, which is conditional if a validator is given.
  public init(
    _ address: WebAddress,
    etag: [UInt8]? = nil,
    lastModified: [UInt8]? = nil,
    headers: [HeaderField] = [],
    limits: DownloadLimits = DownloadLimits()
  ) {
    self.address = address
    self.etag = etag
    self.lastModified = lastModified
    self.headers = headers
    self.limits = limits
  }

  /// The address's origin.
  ///
  /// - Throws: ``DownloadError/invalidAddress(_:)``.
  func checkedOrigin() throws(DownloadError) -> String {
    guard let origin = address.origin else {
      throw .invalidAddress(address.problem ?? .invalid("it has no host"))
    }
    return origin
  }
}

/// One header field in a request.
public struct HeaderField: Sendable, Hashable {
  /// The name, an HTTP token.
  public var name: String
  /// The value. A request with control characters in it fails before it is sent.
  public var value: [UInt8]

  /// Creates a field with a value in bytes.
  public init(name: String, value: [UInt8]) {
    self.name = name
    self.value = value
  }

  /// Creates a field with a value that is sent in UTF-8.
  public init(_ name: String, _ value: String) {
    self.init(name: name, value: Array(value.utf8))
  }

  /// True if the name is a token and the value has no control characters.
  public var isSendable: Bool { line() != nil }

  /// Returns the field as a line for libcurl; nil if it could inject a second line.
  func line() -> [UInt8]? {
    guard !name.isEmpty, name.utf8.allSatisfy(HeaderBytes.isToken), HeaderBytes.isClean(value) else {
      return nil
    }
    // libcurl sends a field without a value only if it ends with a semicolon.
    return value.isEmpty ? Array(name.utf8) + [UInt8(ascii: ";")] : Array("\(name): ".utf8) + value
  }
}

/// The limits for one transfer.
public struct DownloadLimits: Sendable, Hashable {
  /// The time for resolving the name, connecting and the TLS handshake together.
  public var connectTimeout: Duration = .seconds(10)
  /// The time from leaving the queue to the end, without pauses by the sink.
  public var totalTimeout: Duration = .seconds(60)
  /// The speed below which a transfer fails after ``lowSpeedTime``.
  public var lowSpeedBytesPerSecond = 100
  /// The time during which a transfer may be slower than ``lowSpeedBytesPerSecond``, in whole seconds; zero
  /// for no limit.
  public var lowSpeedTime: Duration = .seconds(20)
  /// The decoded body's maximum size, in bytes.
  public var maxBodyBytes = 32 << 20
  /// The maximum size that all header lines may have in one transfer, including redirects and trailers, in
  /// bytes.
  public var maxHeaderBytes = 256 << 10
  /// The size above which a response's validators are dropped, in bytes.
  public var maxValidatorBytes = 8 << 10
  /// The maximum number of redirects that are followed.
  public var maxRedirects = 8

  /// Creates the recommended limits.
  public init() {}
}
