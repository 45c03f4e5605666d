import CCurl

/// A list of header lines for libcurl, which reads them until the transfer has ended.
@safe final class HeaderList {
  private var list: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: Header lines without line ends and NUL bytes.
  init(_ lines: [[UInt8]]) throws(DownloadError) {
    for line in lines {
      let longer = unsafe (line + [0]).withUnsafeBytes {
        unsafe curl_slist_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
      }
      guard let longer = unsafe longer else {
        // The deinit does not run for an object that was not fully initialized.
        unsafe curl_slist_free_all(list)
        throw .outOfMemory
      }
      unsafe list = longer
    }
  }

  deinit {
    unsafe curl_slist_free_all(list)
  }

  /// Passes the list to `body`. If the list is used after the call, the caller must keep this object alive.
  func withList<Result>(_ body: (UnsafeMutablePointer<curl_slist>?) -> Result) -> Result {
    unsafe body(list)
  }
}
