import CCurl

/// An address parsed by libcurl, so that the address that is checked is the address that is fetched.
@safe package final class CurlURL {
  private let handle: OpaquePointer

  /// Parses an absolute address with any scheme.
  package init(_ text: String) throws(WebAddress.Problem) {
    guard let handle = unsafe curl_url() else { throw .invalid("out of memory") }
    unsafe self.handle = handle
    try resolve(text)
  }

  deinit {
    unsafe curl_url_cleanup(handle)
  }

  /// Replaces the address by another one, which may be relative to it (RFC 3986, section 5).
  package func resolve(_ text: String) throws(WebAddress.Problem) {
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
    let code = unsafe text.withCString { unsafe curl_url_set(handle, CURLUPART_URL, $0, flags) }
    guard code == CURLUE_OK else {
      throw .invalid(unsafe curl_url_strerror(code).map { unsafe String(cString: $0) } ?? "unreadable")
    }
  }

  package var text: String? { part(CURLUPART_URL) }
  package var host: String? { part(CURLUPART_HOST) }
  /// The port, if the address contains one.
  package var port: String? { part(CURLUPART_PORT) }
  var password: String? { part(CURLUPART_PASSWORD) }

  /// Scheme, host and port in lower case; nil without a host.
  var origin: String? {
    guard let scheme = part(CURLUPART_SCHEME), let host, !host.isEmpty else { return nil }
    return "\(scheme.lowercased())://\(host.lowercased()):\(part(CURLUPART_PORT, defaultPort: true) ?? "")"
  }

  private func part(_ part: CURLUPart, defaultPort: Bool = false) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = defaultPort ? UInt32(CURLU_DEFAULT_PORT) : 0
    guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }
}
