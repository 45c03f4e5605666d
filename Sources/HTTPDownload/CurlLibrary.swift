import CCurl
import Glibc

/// libcurl as a whole.
enum CurlLibrary {
  /// Whether libcurl could be set up, which happens once in a process, at the first question.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The file of trusted certificates that libcurl was built for; nil when there is none here.
  static let certificateFile: String? = {
    guard let name = unsafe ccurl_certificate_file(), unsafe access(name, R_OK) == 0 else { return nil }
    return unsafe String(cString: name)
  }()
}
