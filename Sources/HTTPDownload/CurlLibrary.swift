import CCurl

/// libcurl as a whole.
enum CurlLibrary {
  /// Whether libcurl could be set up, which happens once in a process, at the first question.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
