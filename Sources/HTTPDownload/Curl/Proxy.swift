import Glibc
import TextOutput
import WebAddress

/// The proxy that libcurl reads from the environment.
struct Proxy: Hashable {
  /// The address for messages: with its scheme, without its password.
  let address: String
  private let host: String
  private let port: String

  /// - Parameter setting: The value of a variable: an address, or a host with a port. The result is nil if it is
  ///   invalid.
  init?(_ setting: String) {
    let text = setting.contains("://") ? setting : "http://\(setting)"
    // 1080 is libcurl's default port for proxies.
    guard let url = try? CurlURL(text), let host = url.host else { return nil }
    (self.host, port) = (host, url.port ?? "1080")
    address = printable(WebAddress.withoutPassword(text))
  }

  /// Returns the proxy for addresses of a scheme; nil if none is set. `HTTP_PROXY` is ignored, because clients of a
  /// server can set it for its CGI programs.
  static func ofEnvironment(scheme: String) -> Proxy? {
    let names = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    return (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap(environment).first.flatMap(Proxy.init)
  }

  /// Returns whether an error message of libcurl concerns the proxy and not the origin server.
  ///
  /// - Parameters:
  ///   - cause: The error message.
  ///   - origin: The origin of the requested address.
  func isBlamed(by cause: String, origin: String) -> Bool {
    if cause.contains("CONNECT") || cause.lowercased().contains("proxy") { return true }
    return cause.contains(" \(host) port \(port) ") && !origin.hasSuffix("://\(host):\(port)")
  }
}

/// Returns an environment variable; nil if it is unset or empty.
func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}
