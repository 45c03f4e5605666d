import CCurl
import Glibc

/// libcurl as a whole.
public enum CurlLibrary {
  /// The library that runs, which need not be the one that this was built with, and what does TLS for it: "7.88.1
  /// (OpenSSL/3.0.17)".
  public static var version: String {
    guard let info = unsafe ccurl_version() else { return "unknown" }
    let tls = unsafe info.pointee.ssl_version.map { unsafe String(cString: $0) } ?? "no TLS"
    return unsafe String(cString: info.pointee.version) + " (\(tls))"
  }

  /// Whether libcurl could be set up, which happens once in a process, at the first question.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The file of trusted certificates that libcurl was built for; nil when there is none here.
  static let certificateFile: String? = {
    guard let name = unsafe ccurl_certificate_file(), unsafe access(name, R_OK) == 0 else { return nil }
    return unsafe String(cString: name)
  }()
}
