public import WebAddress

/// One GET request.
public struct DownloadRequest: Sendable {
  /// The address; an invalid one makes the transfer fail with ``DownloadError/invalidAddress(_:)``.
  public var address: WebAddress
  /// The ETag of an earlier response, sent byte for byte as If-None-Match; nil sends none.
  public var etag: [UInt8]?
  /// The Last-Modified of an earlier response, sent byte for byte as If-Modified-Since; nil sends none.
  public var lastModified: [UInt8]?
  /// The address that sent the validators, to which alone they are sent, be it asked first or behind a redirect; user
  /// information and fragment do not matter. Nil sends them to every address that is asked.
  public var validatorsAddress: WebAddress?
  /// Whether a feed's server may leave out what the validators' answer had (RFC 3229 with the `feed` instance
  /// manipulation): a conditional request says `A-IM: feed` then, and status 226 with `IM: feed` brings a body as 200.
  public var acceptsPartialFeed = false
  /// Whether the sink gets what had come of a body that breaks off or exceeds a limit, whatever it answered last, before
  /// it is told of the failure.
  public var keepsCutBody = false
  /// Additional header fields; they never follow a redirect to another host, port or scheme.
  public var headers: [HeaderField]
  /// Replaces the downloader's User-Agent, also after a redirect; nil leaves it.
  public var userAgent: String?
  /// What this transfer may cost.
  public var limits: DownloadLimits

  /// A request for an address, conditional when one of the validators is given.
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

  /// The origin of the address.
  ///
  /// - Throws: ``DownloadError/invalidAddress(_:)``.
  func checkedOrigin() throws(DownloadError) -> String {
    guard let origin = address.origin else {
      throw .invalidAddress(address.problem ?? .invalid("it has no host"))
    }
    return origin
  }
}

/// One header field of a request.
public struct HeaderField: Sendable, Hashable {
  /// The name, an HTTP token.
  public var name: String
  /// The value as bytes; control characters make the request fail before it is sent.
  public var value: [UInt8]

  /// A field with a value in bytes.
  public init(name: String, value: [UInt8]) {
    self.name = name
    self.value = value
  }

  /// A field with a value that is sent in UTF-8.
  public init(_ name: String, _ value: String) {
    self.init(name: name, value: Array(value.utf8))
  }

  /// Whether the name is a token and the value has no control characters.
  public var isSendable: Bool { line() != nil }

  /// The field as a line for libcurl, or nil when it could smuggle in a second line.
  func line() -> [UInt8]? {
    guard !name.isEmpty, name.utf8.allSatisfy(HeaderBytes.isToken), HeaderBytes.isClean(value) else {
      return nil
    }
    // libcurl sends a field without a value only when it's written with a semicolon.
    return value.isEmpty ? Array(name.utf8) + [UInt8(ascii: ";")] : Array("\(name): ".utf8) + value
  }
}

/// The bounds of one transfer.
public struct DownloadLimits: Sendable, Hashable {
  /// For name, connection and TLS handshake together.
  public var connectTimeout: Duration = .seconds(10)
  /// From the moment the transfer leaves the queue to its end; time in which the sink paused it doesn't count.
  public var totalTimeout: Duration = .seconds(60)
  /// A transfer slower than this for ``lowSpeedTime`` fails.
  public var lowSpeedBytesPerSecond = 100
  /// How long a transfer may be slower than ``lowSpeedBytesPerSecond``, in whole seconds; zero means for ever.
  public var lowSpeedTime: Duration = .seconds(20)
  /// Of the body after decoding, in bytes.
  public var maxBodyBytes = 32 << 20
  /// Of all header lines that a transfer receives, redirects and trailers included, in bytes.
  public var maxHeaderBytes = 256 << 10
  /// Longer validators of a response are dropped, in bytes.
  public var maxValidatorBytes = 8 << 10
  /// How many redirects are followed.
  public var maxRedirects = 8

  /// The recommended bounds.
  public init() {}
}
