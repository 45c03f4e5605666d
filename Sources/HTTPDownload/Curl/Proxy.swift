import Glibc
import TextOutput
import WebAddress

/// The proxy that libcurl reads from the environment.
struct Proxy: Hashable {
  /// The address for messages: with its scheme, without its password.
  let address: String
  /// Nil if the setting is not valid; libcurl may nevertheless find a host in it.
  private let host: String?
  let port: String

  /// - Parameter setting: An environment variable's value: an address, or a host with a port.
  init(_ setting: String) {
    let scheme = setting.contains("://") ? "" : "http://"
    let url = try? CurlURL(scheme + setting)
    // 1080 is libcurl's default port for proxies.
    (host, port) = (url?.host, url?.port ?? "1080")
    address = printable(scheme + WebAddress.withoutPassword(setting))
  }

  /// Returns the proxy for addresses with this scheme; nil if none is set. `HTTP_PROXY` is ignored, because a
  /// server's clients can set it for its CGI programs.
  static func ofEnvironment(scheme: String) -> Proxy? {
    let names = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    return (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap(environment).first.map(Proxy.init)
  }

  /// Returns whether libcurl's error message concerns the proxy and not the origin server.
  ///
  /// - Parameters:
  ///   - cause: The error message.
  ///   - origin: The requested address's origin.
  func isBlamed(by cause: String, origin: String) -> Bool {
    if cause.contains("CONNECT") || cause.lowercased().contains("proxy") { return true }
    guard let host else { return false }
    return cause.contains(" \(host) port \(port) ") && !origin.hasSuffix("://\(host):\(port)")
  }
}

/// Returns an environment variable; nil if it is unset or empty.
func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}
