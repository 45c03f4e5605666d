/// Reads a transfer's header lines as libcurl passes them, from interim responses, redirects, the final
/// response and its trailers.
package struct HeaderReader {
  /// The header block that was read last.
  package private(set) var block = HeaderBlock()
  /// The size of all lines so far, in bytes.
  private(set) var byteCount = 0
  /// True after a block's empty line. A later line that is not a status line is a trailer.
  private(set) var isComplete = false
  private var current: HeaderBlock.Field?

  /// Creates a reader before the first line.
  package init() {}

  /// Reads one line with its line end.
  package mutating func read(_ line: Span<UInt8>) {
    byteCount += line.count
    if block.status != 0 && !isComplete {
      readField(line)
      return
    }
    // Only trailers follow the final response's head, whatever they contain. Their fields never replace the
    // head's fields.
    guard !isFinal, let status = Self.status(line) else { return }
    block = HeaderBlock(status: status, version: Self.version(line))
    isComplete = false
    current = nil
  }

  /// True if no other response follows the block.
  private var isFinal: Bool { isComplete && block.status >= 200 }

  /// Forgets the last response. The size of its lines still counts.
  mutating func beginResponse() {
    block = HeaderBlock()
    isComplete = false
    current = nil
  }

  private mutating func readField(_ line: Span<UInt8>) {
    var end = line.count
    while end > 0, HeaderBytes.isBlank(line[end - 1]) { end -= 1 }
    guard end > 0 else {
      isComplete = true
      return
    }
    if line[0] == 0x20 || line[0] == 0x09 {
      // obs-fold (RFC 9112, section 5.2): a line break inside a value is read as a space.
      if let current { block.fold(Self.bytes(line, 0, end), into: current) }
      return
    }
    current = nil
    var colon = 0
    while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon < end else { return }
    // Blanks before the colon are forbidden, but libcurl accepts them.
    var nameEnd = colon
    while nameEnd > 0, HeaderBytes.isBlank(line[nameEnd - 1]) { nameEnd -= 1 }
    let name = String(decoding: Self.bytes(line, 0, nameEnd).map(HeaderBytes.lowercased), as: UTF8.self)
    guard let field = HeaderBlock.Field(rawValue: name) else { return }
    block.add(Self.bytes(line, colon + 1, end), to: field)
    current = field
  }

  /// Returns the bytes from `start` to `end`, without leading blanks.
  private static func bytes(_ line: Span<UInt8>, _ start: Int, _ end: Int) -> [UInt8] {
    var start = start
    while start < end, HeaderBytes.isBlank(line[start]) { start += 1 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end - start)
    for index in start..<end { bytes.append(line[index]) }
    return bytes
  }

  /// Returns the version from `HTTP/1.1 200 OK`; later than 1.1 if it is neither 1.0 nor 1.1.
  private static func version(_ line: Span<UInt8>) -> HeaderBlock.Version {
    guard line.count > 7, line[5] == UInt8(ascii: "1"), line[6] == UInt8(ascii: ".") else { return .later }
    return line[7] == UInt8(ascii: "0") ? .http10 : .http11
  }

  /// Returns the code from `HTTP/1.1 200 OK`; nil for any other line.
  private static func status(_ line: Span<UInt8>) -> Int? {
    let prefix: StaticString = "HTTP/"
    guard line.count > prefix.utf8CodeUnitCount else { return nil }
    let isStatusLine = "HTTP/".utf8.enumerated().allSatisfy { line[$0.offset] == $0.element }
    guard isStatusLine else { return nil }
    var index = prefix.utf8CodeUnitCount
    while index < line.count, line[index] != 0x20 { index += 1 }
    while index < line.count, line[index] == 0x20 { index += 1 }
    var code = 0
    var digits = 0
    while index < line.count, digits < 3, line[index] >= UInt8(ascii: "0"), line[index] <= UInt8(ascii: "9") {
      code = code * 10 + Int(line[index] - UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    return code
  }
}

/// The known fields in one header block.
package struct HeaderBlock {
  /// The fields by their names in lower case.
  package enum Field: String {
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
  }

  /// The status code; zero before the first status line.
  package var status = 0
  private var values: [Field: [UInt8]] = [:]
  private var version = Version.later
  /// The values from all Set-Cookie fields.
  private(set) var cookies: [[UInt8]] = []

  enum Version { case http10, http11, later }

  init(status: Int = 0, version: Version = .later) {
    (self.status, self.version) = (status, version)
  }

  private(set) subscript(field: Field) -> [UInt8]? {
    get { values[field] }
    set { values[field] = newValue }
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

  /// Adds a field. A repeated field keeps its first value, unless it is a list.
  mutating func add(_ value: [UInt8], to field: Field) {
    if field == .setCookie { cookies.append(value) }
    if let first = self[field] {
      let lists: [Field] = [
        .cacheControl, .contentEncoding, .transferEncoding, .connection, .rateLimit, .link,
      ]
      guard lists.contains(field) else { return }
      self[field] = first + Array(", ".utf8) + value
    } else {
      self[field] = value
    }
  }

  mutating func fold(_ value: [UInt8], into field: Field) {
    self[field] = (self[field] ?? []) + [0x20] + value
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
