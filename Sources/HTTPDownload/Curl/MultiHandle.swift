import CCurl

/// A libcurl multi handle.
///
/// `@unchecked Sendable` because libcurl defines each call's thread safety: only `wakeUp` is safe on any
/// thread. All other calls belong to the loop's thread, or to the handle's last owner.
@safe final class MultiHandle: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  init() throws(DownloadError) {
    guard CurlLibrary.isReady, let handle = unsafe curl_multi_init() else { throw .outOfMemory }
    unsafe self.handle = handle
  }

  deinit {
    unsafe curl_multi_cleanup(handle)
  }

  func set(_ option: CURLMoption, _ value: Int) throws(DownloadError) {
    try check(unsafe ccurl_multi_set_long(handle, option, value))
  }

  func add(_ easy: EasyHandle) throws(DownloadError) {
    try check(unsafe easy.withHandle { unsafe curl_multi_add_handle(handle, $0) })
  }

  func remove(_ easy: EasyHandle) throws(DownloadError) {
    try check(unsafe easy.withHandle { unsafe curl_multi_remove_handle(handle, $0) })
  }

  /// Performs all work that is possible without waiting.
  func perform() throws(DownloadError) {
    var running: Int32 = 0
    try check(unsafe curl_multi_perform(handle, &running))
  }

  /// Waits for network activity, a `wakeUp` call, or the timeout.
  func poll(milliseconds: Int32) throws(DownloadError) {
    try check(unsafe curl_multi_poll(handle, nil, 0, milliseconds, nil))
  }

  /// Ends the current or next wait in `poll`. Callable from any thread.
  func wakeUp() {
    // The only possible failure is a full pipe, which means that the loop is being woken already.
    _ = unsafe curl_multi_wakeup(handle)
  }

  /// Returns the next transfer that has completed, with its result; nil if no other transfer has completed.
  func nextFinished() -> (id: TransferID, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(handle, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
        continue
      }
      let code = unsafe message.pointee.data.result
      var tag: UnsafeMutableRawPointer?
      guard unsafe ccurl_get_pointer(easy, CURLINFO_PRIVATE, &tag) == CURLE_OK else { continue }
      return (TransferID(UInt64(UInt(bitPattern: tag))), code)
    }
    return nil
  }

  private func check(_ code: CURLMcode) throws(DownloadError) {
    guard code != CURLM_OK else { return }
    guard code != CURLM_OUT_OF_MEMORY else { throw .outOfMemory }
    throw .failed(
      cause: unsafe curl_multi_strerror(code).map { unsafe String(cString: $0) } ?? "libcurl failed")
  }
}
