import CCurl
import Glibc

/// A libcurl easy handle, used for one transfer after another, by one thread at a time.
@safe final class EasyHandle {
  private let handle: UnsafeMutableRawPointer
  private let errorBuffer: UnsafeMutablePointer<CChar>
  /// The context pointer for callbacks: the current transfer's collector.
  private var collector: UnsafeMutableRawPointer?
  /// The current transfer's header lines. libcurl does not copy the list.
  private var headers: UnsafeMutablePointer<curl_slist>?

  init() throws(DownloadError) {
    guard let handle = unsafe curl_easy_init() else { throw .outOfMemory }
    unsafe self.handle = handle
    unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(headers)
    unsafe errorBuffer.deallocate()
  }

  /// Resets all options from the previous transfer, and sets the next transfer's ID and callbacks.
  ///
  /// - Parameter collector: Receives the response. It is not retained and must live until the transfer has
  ///   ended.
  func reset(id: TransferID, collector: ResponseCollector) throws(DownloadError) {
    unsafe curl_easy_reset(handle)
    unsafe curl_slist_free_all(headers)
    unsafe headers = nil
    unsafe errorBuffer.pointee = 0
    try unsafe check(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer))
    try unsafe check(ccurl_set_pointer(handle, CURLOPT_PRIVATE, .init(bitPattern: UInt(id.rawValue))))
    unsafe self.collector = Unmanaged.passUnretained(collector).toOpaque()
    try unsafe check(ccurl_set_pointer(handle, CURLOPT_HEADERDATA, self.collector))
    try unsafe check(ccurl_set_pointer(handle, CURLOPT_WRITEDATA, self.collector))
    try unsafe check(ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION, receiveHeaderLine))
    try unsafe check(ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION, receiveBody))
    try unsafe check(ccurl_set_pointer(handle, CURLOPT_PREREQDATA, self.collector))
    try unsafe check(ccurl_set_request_callback(handle, CURLOPT_PREREQFUNCTION, beforeRequest))
  }

  func set(_ option: CURLoption, _ value: Int) throws(DownloadError) {
    try unsafe check(ccurl_set_long(handle, option, value))
  }

  func set(_ option: CURLoption, _ value: Bool) throws(DownloadError) {
    try set(option, value ? 1 : 0)
  }

  func set(_ option: CURLoption, bytes: Int) throws(DownloadError) {
    try unsafe check(ccurl_set_offset(handle, option, curl_off_t(bytes)))
  }

  /// Sets a text option; libcurl copies the text.
  func set(_ option: CURLoption, _ value: String) throws(DownloadError) {
    try check(unsafe value.withCString { unsafe ccurl_set_string(handle, option, $0) })
  }

  /// Sets a text option to NULL, even if libcurl has a default for it.
  func clear(_ option: CURLoption) throws(DownloadError) {
    try check(unsafe ccurl_set_string(handle, option, nil))
  }

  /// Sets the additional header lines, and keeps them while the transfer lasts.
  ///
  /// - Parameter lines: Header lines without line ends and NUL bytes.
  func set(headers lines: [[UInt8]]) throws(DownloadError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      let longer = unsafe (line + [0]).withUnsafeBytes {
        unsafe curl_slist_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
      }
      guard let longer = unsafe longer else {
        unsafe curl_slist_free_all(list)
        throw .outOfMemory
      }
      unsafe list = longer
    }
    let code = unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, list)
    unsafe swap(&list, &headers)
    unsafe curl_slist_free_all(list)
    try check(code)
  }

  /// Lets the collector accept or reject each address before libcurl connects to it.
  func setChecksAddresses() throws(DownloadError) {
    try unsafe check(ccurl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, collector))
    try unsafe check(ccurl_set_socket_callback(handle, CURLOPT_OPENSOCKETFUNCTION, openSocket))
  }

  /// Pauses or resumes receiving. Resuming may call the collector.
  func pause(_ isPaused: Bool) -> CURLcode {
    unsafe curl_easy_pause(handle, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
  }

  /// Returns a number about the transfer; 0 if libcurl does not know it.
  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
  }

  /// Returns a size in bytes or a time in microseconds; 0 if libcurl does not know it.
  func amount(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return unsafe ccurl_get_offset(handle, info, &value) == CURLE_OK ? Int(value) : 0
  }

  func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe ccurl_get_string(handle, info, &value) == CURLE_OK, let value = unsafe value else {
      return nil
    }
    return unsafe String(cString: value)
  }

  /// Returns libcurl's message about the failure, or its general description of `code`.
  func cause(of code: CURLcode) -> String {
    let written = unsafe String(cString: errorBuffer)
    guard written.isEmpty else { return written }
    return unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) }
      ?? "libcurl error \(code.rawValue)"
  }

  /// Passes the handle to one call of ``MultiHandle``.
  func withHandle<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    unsafe body(handle)
  }

  private func check(_ code: CURLcode) throws(DownloadError) {
    guard code != CURLE_OK else { return }
    throw code == CURLE_OUT_OF_MEMORY ? .outOfMemory : .failed(cause: cause(of: code))
  }
}

/// A return value that makes libcurl end the transfer. Any count other than the given one has this effect.
private let refusal = 0

private let receiveHeaderLine: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes = unsafe bytes, let context = unsafe context else { return refusal }
  let collector = unsafe Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
  let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let line = unsafe Span(_unsafeStart: start, count: size * count)
  return result(of: collector.receive(headerLine: line), size * count)
}

private let receiveBody: ccurl_data_callback = { bytes, size, count, context in
  guard size * count > 0 else { return 0 }
  guard let bytes = unsafe bytes, let context = unsafe context else { return refusal }
  let collector = unsafe Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
  let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let body = unsafe Span(_unsafeStart: start, count: size * count)
  return result(of: collector.receive(body: body), size * count)
}

/// Returns the value by which a callback reports an intake to libcurl.
private func result(of intake: ResponseCollector.Intake, _ byteCount: Int) -> Int {
  switch intake {
  case .taken: byteCount
  case .full: Int(CURL_WRITEFUNC_PAUSE)
  case .refused: refusal
  }
}

private let beforeRequest: ccurl_request_callback = { context, _, _, _, _ in
  guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
  let collector = unsafe Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
  return collector.maySendRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// An invalid descriptor makes libcurl try the next address.
private let noSocket: curl_socket_t = -1

private let openSocket: ccurl_socket_callback = { context, _, address in
  guard let context = unsafe context, let address = unsafe address,
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
  else { return noSocket }
  let target = unsafe address.pointee
  // The struct's last field is declared for IPv4; its actual length is `addrlen`.
  let bytes = unsafe Array(
    UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + offset, count: Int(target.addrlen)))
  let collector = unsafe Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
  guard let host = SocketAddress(family: target.family, bytes: bytes), collector.accepts(host) else {
    return noSocket
  }
  return socket(target.family, target.socktype | Int32(SOCK_CLOEXEC.rawValue), target.protocol)
}
