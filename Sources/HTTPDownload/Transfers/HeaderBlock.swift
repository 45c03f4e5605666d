/// The known fields in one header block.
package struct HeaderBlock {
  /// The fields by their names in lower case.
  package enum Field: String, CaseIterable {
    case etag, expires, date, location, connection, link, server
    case lastModified = "last-modified"
    case contentType = "content-type"
    case contentEncoding = "content-encoding"
    case contentLength = "content-length"
    case transferEncoding = "transfer-encoding"
    case retryAfter = "retry-after"
    case cacheControl = "cache-control"
    case instanceManipulations = "im"
    case setCookie = "set-cookie"
    case rateLimit = "ratelimit"
    case rateLimitReset = "ratelimit-reset"
    case rateLimitRemaining = "ratelimit-remaining"
    case unofficialReset = "x-ratelimit-reset"
    case unofficialRemaining = "x-ratelimit-remaining"
    case hyphenatedReset = "x-rate-limit-reset"
    case hyphenatedRemaining = "x-rate-limit-remaining"
    case squidError = "x-squid-error"
    case proxyStatus = "proxy-status"
    case cloudflareAction = "cf-mitigated"
    case wafAction = "x-amzn-waf-action"
    case vercelAction = "x-vercel-mitigated"
    case dataDome = "x-datadome"
    case incapsula = "x-iinfo"

    private static let byLength: [[(field: Field, name: [UInt8])]] = {
      let named = allCases.map { (field: $0, name: Array($0.rawValue.utf8)) }
      let longest = named.map(\.name.count).max() ?? 0
      return (0...longest).map { length in named.filter { $0.name.count == length } }
    }()

    /// Creates the field with a name in any case; nil for a name that is not known.
    init?(name: Span<UInt8>) {
      guard name.count < Self.byLength.count else { return nil }
      for known in Self.byLength[name.count]
      where known.name.indices.allSatisfy({ HeaderBytes.lowercased(name[$0]) == known.name[$0] }) {
        self = known.field
        return
      }
      return nil
    }

    /// True if the values of repeated fields belong together, as one list.
    fileprivate var isList: Bool {
      switch self {
      case .cacheControl, .contentEncoding, .transferEncoding, .connection, .rateLimit, .link: true
      default: false
      }
    }
  }

  /// A field's value, as a part of ``bytes``.
  private struct Value {
    let field: Field
    var range: Range<Int>
  }

  /// The status code; zero before the first status line.
  package var status = 0
  /// The values, one after the other.
  private var bytes: [UInt8] = []
  private var values: [Value] = []
  private var version = Version.later

  enum Version { case http10, http11, later }

  init(status: Int = 0, version: Version = .later) {
    (self.status, self.version) = (status, version)
  }

  /// The value, byte for byte. A repeated field has its first value, or all values joined by commas if it is
  /// a list.
  subscript(field: Field) -> [UInt8]? {
    guard let first = values.firstIndex(where: { $0.field == field }) else { return nil }
    var value = Array(bytes[values[first].range])
    if field.isList {
      for other in values[(first + 1)...] where other.field == field {
        value += ", ".utf8 + bytes[other.range]
      }
    }
    return value
  }

  /// The values from all Set-Cookie fields.
  var cookies: [[UInt8]] {
    values.lazy.filter { $0.field == .setCookie }.map { Array(bytes[$0.range]) }
  }

  /// The redirect's target; nil if the response does not redirect. A 304 answers a conditional request, even
  /// with a location.
  package var redirectLocation: [UInt8]? {
    guard (300..<400).contains(status), status != 304, let location = self[.location], !location.isEmpty
    else {
      return nil
    }
    return location
  }

  /// True if other responses share the connection (HTTP/2).
  var isMultiplexed: Bool { version == .later }

  /// True if the server closes the connection after the response, or marks the body's end by closing it
  /// (RFC 9112, 6.3 and 9.3).
  var endsConnection: Bool {
    guard version != .later else { return false }
    let options = ContentCoding.names(text(.connection))
    if options.contains("close") || version == .http10 && !options.contains("keep-alive") { return true }
    return self[.contentLength] == nil && self[.transferEncoding] == nil
  }

  /// True if the body is a feed without the articles that the client has, with no other manipulation
  /// (RFC 3229, section 10.5.2).
  package var isPartialFeed: Bool {
    status == 226 && text(.instanceManipulations)?.lowercased() == "feed"
  }

  /// Adds a field, whose value is a part of a line.
  mutating func add(_ line: Span<UInt8>, _ part: Range<Int>, to field: Field) {
    values.append(Value(field: field, range: bytes.count..<bytes.count + part.count))
    append(line, part)
  }

  /// Adds a part of a line, after a space, to the value that was added last.
  mutating func fold(_ line: Span<UInt8>, _ part: Range<Int>) {
    guard let last = values.indices.last else { return }
    bytes.append(0x20)
    append(line, part)
    values[last].range = values[last].range.lowerBound..<bytes.count
  }

  private mutating func append(_ line: Span<UInt8>, _ part: Range<Int>) {
    unsafe line.extracting(part).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Returns a validator's value; nil if it is empty, longer than `limit` bytes, or not safe to send back.
  package func validator(_ field: Field, limit: Int) -> [UInt8]? {
    guard let value = self[field], !value.isEmpty, value.count <= limit, HeaderBytes.isClean(value) else {
      return nil
    }
    return value
  }

  package func text(_ field: Field) -> String? {
    self[field].map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields about a request limit; nil without any.
  var limitFields: ResponseHead.LimitFields? {
    let reset = text(.rateLimitReset) ?? text(.unofficialReset) ?? text(.hyphenatedReset)
    let remaining = text(.rateLimitRemaining) ?? text(.unofficialRemaining) ?? text(.hyphenatedRemaining)
    let limit = text(.rateLimit)
    guard limit != nil || reset != nil || remaining != nil else { return nil }
    return ResponseHead.LimitFields(rateLimit: limit, reset: reset, remaining: remaining)
  }
}
