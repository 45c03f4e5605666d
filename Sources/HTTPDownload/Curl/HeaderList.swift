import CCurl

/// Header lines for libcurl, which reads them until the transfer has ended.
@safe final class HeaderList {
  private var list: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: Without line ends and NUL.
  init(_ lines: [[UInt8]]) throws(DownloadError) {
    for line in lines {
      let longer = unsafe (line + [0]).withUnsafeBytes {
        unsafe curl_slist_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
      }
      guard let longer = unsafe longer else {
        // A deinit doesn't run for an object that was never whole.
        unsafe curl_slist_free_all(list)
        throw .outOfMemory
      }
      unsafe list = longer
    }
  }

  deinit {
    unsafe curl_slist_free_all(list)
  }

  /// The list for the time of a call; whoever stores it keeps this object alive.
  func withList<Result>(_ body: (UnsafeMutablePointer<curl_slist>?) -> Result) -> Result {
    unsafe body(list)
  }
}
