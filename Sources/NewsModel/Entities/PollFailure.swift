public import WebAddress

/// The cause of a failed poll: a code and its values, as they are stored.
///
/// Readers get a sentence: from ``description``, or from the views `feeds` and `fetches`, which use the same
/// templates.
public struct PollFailure: Error, Sendable, Hashable {
  /// The kind of failure. The raw value is stored.
  public enum Code: String, Sendable, CaseIterable {
    /// The answer has a status without articles: ``number``.
    case httpStatus = "http-status"
    /// A bot protection page rejects the request with the status ``number``.
    case challenge
    /// A redirect is to be followed after a pause. ``number`` is the status.
    case delayedRedirect = "delayed-redirect"
    /// The address cannot be fetched, or a redirect leads to one that cannot.
    case invalidAddress = "invalid-address"
    /// The address ``detail`` belongs to a private network or this machine, which the configuration forbids.
    case privateAddress = "private-address"
    /// The header field ``detail`` has a value that could inject another line.
    case invalidHeader = "invalid-header"
    /// The host's name could not be resolved.
    case unknownHost = "unknown-host"
    /// The connection failed.
    case noConnection = "no-connection"
    /// The connection could not be secured.
    case tls
    /// The host's name was not resolved within ``number`` milliseconds.
    case timeoutResolving = "timeout-resolving"
    /// The connection was not made within ``number`` milliseconds.
    case timeoutConnecting = "timeout-connecting"
    /// The TLS handshake did not end within ``number`` milliseconds.
    case timeoutSecuring = "timeout-securing"
    /// The answer did not begin within ``number`` milliseconds.
    case timeoutWaiting = "timeout-waiting"
    /// The answer did not end within ``number`` milliseconds.
    case timeoutReceiving = "timeout-receiving"
    /// Fewer than ``number`` bytes a second were received for ``detail`` seconds.
    case tooSlow = "too-slow"
    /// The decoded body has more than ``number`` bytes.
    case bodyTooLarge = "body-too-large"
    /// The header lines have more than ``number`` bytes.
    case headerTooLarge = "header-too-large"
    /// More than ``number`` redirects.
    case tooManyRedirects = "too-many-redirects"
    /// The answer has no valid head.
    case invalidHead = "invalid-head"
    /// The server switched to a protocol that was not requested.
    case switchedProtocols = "switched-protocols"
    /// The last response has the interim status ``number``.
    case interimStatus = "interim-status"
    /// An unconditional request was answered with 304.
    case unrequestedNotModified = "unrequested-304"
    /// A request for a whole feed was answered with a partial one.
    case unrequestedPart = "unrequested-226"
    /// A partial answer does not state that it is part of a feed.
    case unmarkedPart = "unmarked-226"
    /// A redirect with the status ``number`` has no location.
    case noLocation = "no-location"
    /// Another violation of HTTP.
    case protocolViolation = "protocol-violation"
    /// The body could not be decoded.
    case undecodableBody = "undecodable-body"
    /// The connection ended before the body did.
    case truncatedBody = "truncated-body"
    /// The connection ended before the answer.
    case connectionLost = "connection-lost"
    /// Any other transfer error.
    case transfer
    /// The transfer was cancelled.
    case cancelled
    /// Nothing was requested, because the host requested a pause.
    case pausedHost = "paused-host"
    /// Nothing was requested, because the host did not answer ``number`` other requests.
    case silentHost = "silent-host"
    /// Nothing was requested, because the proxy ``detail`` did not answer ``number`` other requests.
    case silentProxy = "silent-proxy"
    /// Nothing was requested.
    case notRequested = "not-requested"
    /// Memory could not be allocated.
    case outOfMemory = "out-of-memory"
    /// The answer has no body.
    case noAnswer = "no-answer"
    /// The document is not a feed, but ``detail``.
    case notAFeed = "not-a-feed"
    /// The document exceeds the limit ``number`` for ``detail``.
    case parserLimit = "parser-limit"
    /// The document ends before its first item.
    case noItem = "no-item"
    /// The document ends before its last element.
    case truncatedDocument = "truncated-document"

    /// The sentence, with placeholders `{number}`, `{seconds}`, `{size}`, `{meaning}` and `{detail}`.
    var template: String {
      switch self {
      case .httpStatus: "HTTP {number}{meaning}"
      case .challenge: "HTTP {number} (a wall against programs wants a browser)"
      case .delayedRedirect: "HTTP {number} (redirect), to be followed after a pause"
      case .privateAddress: "address refused: {detail} is not public"
      case .invalidHeader: "the header field {detail} can't be sent"
      case .invalidAddress, .unknownHost, .noConnection, .protocolViolation, .transfer: "{detail}"
      case .tls: "TLS: {detail}"
      case .timeoutResolving: "timed out after {seconds} s (resolving the name)"
      case .timeoutConnecting: "timed out after {seconds} s (connecting)"
      case .timeoutSecuring: "timed out after {seconds} s (the TLS handshake)"
      case .timeoutWaiting: "timed out after {seconds} s (waiting for the answer)"
      case .timeoutReceiving: "timed out after {seconds} s (receiving the body)"
      case .tooSlow: "too slow: under {number} bytes a second for {detail} s"
      case .bodyTooLarge: "body too large: over the limit of {size}"
      case .headerTooLarge: "header too large: over the limit of {size}"
      case .tooManyRedirects: "too many redirects: over the limit of {number}"
      case .invalidHead: "no valid response head"
      case .switchedProtocols: "HTTP 101 (switching protocols), which was not requested"
      case .interimStatus: "HTTP {number} as the final response"
      case .unrequestedNotModified: "HTTP 304 (not modified) to an unconditional request"
      case .unrequestedPart: "HTTP 226 (IM used) to a request that did not ask for it"
      case .unmarkedPart: "HTTP 226 (IM used) without IM: feed"
      case .noLocation: "HTTP {number} (redirect) without a location"
      case .undecodableBody: "the body can't be decoded: {detail}"
      case .truncatedBody: "truncated: {detail}"
      case .connectionLost: "connection lost: {detail}"
      case .cancelled: "cancelled"
      case .pausedHost: "not requested: its host requested a pause"
      case .silentHost: "not requested: its host did not answer {number} others"
      case .silentProxy: "not requested: the proxy {detail} did not answer {number} others"
      case .notRequested: "not requested"
      case .outOfMemory: "out of memory"
      case .noAnswer: "no answer"
      case .notAFeed: "not a feed: {detail}"
      case .parserLimit: "over the limit of {number} for {detail}"
      case .noItem: "cut off before its first item"
      case .truncatedDocument:
        "truncated: the document ends before its last element; whole articles were kept"
      }
    }
  }

  /// The kind; nil for a failure that an earlier version stored as a sentence in ``detail``.
  public var code: Code?
  /// The number that the code names.
  public var number: Int?
  /// The text that the code names, or libcurl's description of the failure, without control characters.
  public var detail: String?
  /// The address that answered, without a password; nil if it is the feed's own address.
  public var address: WebAddress?

  /// Creates a failure.
  public init(_ code: Code, number: Int? = nil, detail: String? = nil, address: WebAddress? = nil) {
    (self.code, self.number, self.detail) = (code, number, detail)
    self.address = address?.removingPassword
  }

  /// Creates a failure from its columns; nil if the poll did not fail.
  init?(code: String?, number: Int?, detail: String?, address: WebAddress?) {
    guard code != nil || detail != nil else { return nil }
    self.code = code.flatMap(Code.init(rawValue:))
    (self.number, self.detail, self.address) = (number, detail, address)
  }
}

extension PollFailure: CustomStringConvertible {
  /// Meanings for well-known statuses (RFC 9110, 15; RFC 6585; RFC 7725).
  static let meanings: KeyValuePairs = [
    204: "no content", 205: "reset content", 206: "a part of the document, which was not requested",
    300: "multiple choices",
    400: "bad request", 401: "unauthorized", 402: "payment required", 403: "forbidden", 404: "not found",
    405: "method not allowed", 406: "not acceptable", 407: "the proxy requires a login",
    408: "request timeout", 410: "gone",
    418: "I'm a teapot", 421: "misdirected request", 425: "too early", 429: "too many requests",
    451: "unavailable for legal reasons", 500: "server error", 501: "not implemented", 502: "bad gateway",
    503: "service unavailable", 504: "gateway timeout", 511: "the network requires a login",
  ]

  /// The failure as text, in one line.
  public var description: String {
    guard let code else { return detail ?? "" }
    let number = number ?? 0
    let values = [
      ("{number}", "\(number)"), ("{seconds}", Self.seconds(number)), ("{size}", Self.size(number)),
      ("{meaning}", Self.meanings.first { $0.key == number }.map { " (\($0.value))" } ?? ""),
      ("{detail}", detail ?? ""),
    ]
    let sentence = values.reduce(code.template) { $0.replacing($1.0, with: $1.1) }
    return address.map { "\(sentence), at \($0)" } ?? sentence
  }

  private static func seconds(_ milliseconds: Int) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
  }

  private static func size(_ bytes: Int) -> String {
    if bytes >= 1 << 20, bytes % (1 << 20) == 0 { return "\(bytes >> 20) MiB" }
    if bytes >= 1 << 10, bytes % (1 << 10) == 0 { return "\(bytes >> 10) KiB" }
    return "\(bytes) bytes"
  }

  /// Returns SQL that formats a row like ``description``.
  ///
  /// - Parameters:
  ///   - row: The table's name in the statement.
  ///   - detail: The column's name for ``detail``.
  static func sql(_ row: String, detail: String) -> String {
    let size = """
      CASE WHEN n >= 1048576 AND n % 1048576 = 0 THEN (n / 1048576) || ' MiB'
      WHEN n >= 1024 AND n % 1024 = 0 THEN (n / 1024) || ' KiB' ELSE n || ' bytes' END
      """
    let text = "'' || n"
    let seconds = "rtrim(rtrim((n / 1000) || '.' || substr('' || (1000 + n % 1000), 2), '0'), '.')"
    let values = [
      ("{number}", text), ("{seconds}", seconds),
      ("{size}", size),
      ("{meaning}", "coalesce(' (' || \(SentenceTable.template("status", text)) || ')', '')"),
      ("{detail}", "coalesce(\(row).\(detail), '')"),
    ]
    let sentence = values.reduce("template") { "replace(\($0), '\($1.0)', \($1.1))" }
    return """
      CASE WHEN \(row).error_code IS NULL THEN \(row).\(detail) ELSE (SELECT \(sentence)
      FROM sentence, (SELECT coalesce(\(row).error_number, 0) AS n) numbers WHERE kind = 'failure' AND code = \(row).error_code)
      || coalesce(', at ' || \(row).error_address, '') END
      """
  }
}
