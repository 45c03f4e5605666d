import Glibc
import TextOutput
import WebAddress

/// The proxy that libcurl takes from the environment.
struct Proxy: Hashable {
  /// As it may be shown: with its scheme, without its password.
  let address: String
  private let host: String
  private let port: String

  /// - Parameter setting: A variable's value: an address, or a host with a port; nil where it cannot be read.
  init?(_ setting: String) {
    let text = setting.contains("://") ? setting : "http://\(setting)"
    // libcurl's own default for proxies.
    guard let url = try? CurlURL(text), let host = url.host else { return nil }
    (self.host, port) = (host, url.port ?? "1080")
    address = printable(WebAddress.withoutPassword(text))
  }

  /// The proxy for addresses of a scheme; nil without one. `HTTP_PROXY` is none: a server's CGI programs get it from
  /// their clients.
  static func ofEnvironment(scheme: String) -> Proxy? {
    let names = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    return (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap(environment).first.flatMap(Proxy.init)
  }

  /// Whether what libcurl says is of the proxy, and not of the server behind it.
  ///
  /// - Parameter origin: That server's.
  func isBlamed(by cause: String, origin: String) -> Bool {
    if cause.contains("CONNECT") || cause.lowercased().contains("proxy") { return true }
    return cause.contains(" \(host) port \(port) ") && !origin.hasSuffix("://\(host):\(port)")
  }
}

/// An environment variable, nil when it's unset or empty.
func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}
