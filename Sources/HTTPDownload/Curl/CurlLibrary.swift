import CCurl
import Glibc

/// The libcurl library as a whole.
public enum CurlLibrary {
  /// The versions of the loaded libcurl and its TLS library, such as "7.88.1 (OpenSSL/3.0.17)". The loaded
  /// library may differ from the version at build time.
  public static var version: String {
    guard let info = unsafe ccurl_version() else { return "unknown" }
    let tls = unsafe info.pointee.ssl_version.map { unsafe String(cString: $0) } ?? "no TLS"
    return unsafe String(cString: info.pointee.version) + " (\(tls))"
  }

  /// True if libcurl is initialized. The first access initializes it, once per process.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The trusted certificate file that libcurl was built for; nil if that file is missing or unreadable.
  static let certificateFile: String? = {
    guard let name = unsafe ccurl_certificate_file(), unsafe access(name, R_OK) == 0 else { return nil }
    return unsafe String(cString: name)
  }()
}
