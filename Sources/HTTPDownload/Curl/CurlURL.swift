import CCurl

/// An address as libcurl reads it, so that what is checked here is what is asked there.
@safe final class CurlURL {
  private let handle: OpaquePointer

  init() throws(DownloadError) {
    guard let handle = unsafe curl_url() else { throw .outOfMemory }
    unsafe self.handle = handle
  }

  deinit {
    unsafe curl_url_cleanup(handle)
  }

  /// Takes over `text`: a whole address, or after the first one also one relative to that.
  func resolve(_ text: String) throws(DownloadError) {
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
    let code = unsafe text.withCString { unsafe curl_url_set(handle, CURLUPART_URL, $0, flags) }
    guard code != CURLUE_OUT_OF_MEMORY else { throw .outOfMemory }
    guard code == CURLUE_OK else {
      throw .invalidURL(
        cause: unsafe curl_url_strerror(code).map { unsafe String(cString: $0) } ?? "unreadable")
    }
  }

  /// One part of the address, nil when it has none.
  func part(_ part: CURLUPart, defaultPort: Bool = false) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = defaultPort ? UInt32(CURLU_DEFAULT_PORT) : 0
    guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }

  /// Scheme, host and port: where connections and credentials belong to.
  var origin: String? {
    guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST), !host.isEmpty else {
      return nil
    }
    return "\(scheme.lowercased())://\(host.lowercased()):\(part(CURLUPART_PORT, defaultPort: true) ?? "")"
  }
}
