import CCurl
import Glibc
import TextOutput
import WebAddress

/// Texts for failures that libcurl describes by its internals or not at all.
///
/// One libcurl result code covers several causes. Its messages are read only where no number distinguishes
/// them: `CURLINFO_OS_ERRNO` is set for connections, not for transfers, and certificates have no portable
/// code.
enum CauseText {
  /// Returns a printable cause: with control characters escaped, and without a secret wherever it occurs.
  static func printable(_ cause: String, without secret: String?) -> String {
    guard let secret, !secret.isEmpty else { return TextOutput.printable(cause) }
    let parts = cause.split(separator: secret, omittingEmptySubsequences: false)
    return TextOutput.printable(parts.joined(separator: "***"))
  }

  /// Returns the part " to 127.0.0.1 port 1" from "Failed to connect to 127.0.0.1 port 1 after 0 ms: …";
  /// empty if it is missing.
  fileprivate static func place(in text: String) -> String {
    guard let match = text.firstMatch(of: #/ to (\S+) port (\d+)/#) else { return "" }
    return " to \(match.output.1) port \(match.output.2)"
  }

  fileprivate static func cause(_ systemError: Int32) -> String {
    switch systemError {
    case ECONNREFUSED: "no server listens there (connection refused)"
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: "the network has no route to it"
    case ETIMEDOUT: "no answer before the timeout"
    case EACCES, EPERM: "this system does not allow it"
    default: "no answer"
    }
  }

  fileprivate static func connectionLoss(_ text: String) -> String {
    if text.contains("reset by peer") { return "the server reset the connection" }
    if text.contains("Broken pipe") { return "the server closed the connection" }
    return text.hasPrefix("Recv failure: ") || text.hasPrefix("Send failure: ")
      ? String(text.dropFirst("Recv failure: ".count)) : text
  }

  /// Returns the cause of a proxy's failure.
  ///
  /// - Parameters:
  ///   - status: The status with which the proxy answered CONNECT; 0 without an answer.
  ///   - reply: libcurl's code for a SOCKS proxy's answer.
  static func proxy(_ code: CURLcode, _ text: String, systemError: Int32, status: Int, reply: Int) -> String {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: return "its host was not found (DNS)"
    case CURLE_COULDNT_CONNECT where systemError != 0 && status == 0:
      return "could not connect\(place(in: text)): \(cause(systemError))"
    case CURLE_PROXY: return socks(reply) ?? text
    default: break
    }
    switch status {
    case 407: return "it requires a user and a password, or refuses those that it has got (HTTP 407)"
    case 300...: return "it refused the connection (HTTP \(status))"
    default: return connectionLoss(text)
    }
  }

  private static func socks(_ reply: Int) -> String? {
    switch CURLproxycode(UInt32(clamping: reply)) {
    case CURLPX_NO_AUTH: "it accepts no way to log in that this program knows"
    case CURLPX_USER_REJECTED: "it refused the user or the password"
    case CURLPX_REPLY_NOT_ALLOWED: "it does not allow the connection"
    case CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_TTL_EXPIRED: "it cannot reach the server's network"
    case CURLPX_REPLY_HOST_UNREACHABLE: "it cannot reach the server"
    case CURLPX_REPLY_CONNECTION_REFUSED: "the server refused its connection"
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE: "it has failed"
    default: nil
    }
  }

  fileprivate static func certificate(_ text: String, host: String) -> String {
    if text.contains("no alternative certificate subject name") || text.contains("does not match target host")
    {
      return "the certificate is not for \(TextOutput.printable(host))"
    }
    guard let prefix = text.firstRange(of: "SSL certificate problem: ") else { return text }
    return "the certificate is not valid: \(text[prefix.upperBound...])"
  }
}

extension DownloadError {
  /// Creates the error for libcurl's result code. For some codes it depends on libcurl's message.
  ///
  /// - Parameters:
  ///   - code: libcurl's result code.
  ///   - text: libcurl's message, which is the cause if no better text is known.
  ///   - systemError: The last failed connection's error number (errno(3)); 0 if no error is known.
  ///   - host: The requested address's host.
  init(_ code: CURLcode, message text: String, systemError: Int32, host: String) {
    switch code {
    case CURLE_URL_MALFORMAT: self = .invalidAddress(.invalid(text))
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .couldNotResolve(cause: "the host \(TextOutput.printable(host)) was not found (DNS)")
    case CURLE_COULDNT_CONNECT:
      let cause = "could not connect\(CauseText.place(in: text)): \(CauseText.cause(systemError))"
      self = .couldNotConnect(cause: cause)
    case CURLE_INTERFACE_FAILED: self = .couldNotConnect(cause: text)
    case CURLE_RECV_ERROR where text.contains("chunked-encoding"):
      self = .protocolViolation(.other("the chunked encoding of the body is damaged"))
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      self = .connectionLost(cause: CauseText.connectionLoss(text))
    case CURLE_GOT_NOTHING:
      self = .connectionLost(cause: "the server closed the connection without an answer")
    case CURLE_HTTP2:
      self = .connectionLost(
        cause: "the server ended the HTTP/2 connection (GOAWAY, or a damaged frame)")
    case CURLE_HTTP2_STREAM: self = .connectionLost(cause: text)
    case CURLE_PARTIAL_FILE:
      self = .truncated(cause: "the connection was closed before the end of the body")
    // A write by the collector fails only with a refusal, and libcurl decodes only transfer codings
    // (RFC 9112, section 7). Its text would be about disks or content.
    case CURLE_WRITE_ERROR, CURLE_BAD_CONTENT_ENCODING: self = .unrequestedTransferCoding
    case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP_RETURNED_ERROR: self = .protocolViolation(.other(text))
    case CURLE_PEER_FAILED_VERIFICATION: self = .untrusted(cause: CauseText.certificate(text, host: host))
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      self = .tls(message: text)
    default: self = .failed(cause: text)
    }
  }

  /// Returns the error for a TLS library's message. Such a message does not say that the server answered in
  /// plain HTTP.
  static func tls(message cause: String) -> DownloadError {
    if cause.contains("unsupported protocol") || cause.contains("protocol version") {
      return .tls(cause: "no common version of TLS: the server's is too old, or it refuses this machine's")
    }
    let plain = ["wrong version number", "packet length too long", "unexpected TLS packet"]
    guard plain.contains(where: { cause.contains($0) }) else { return .tls(cause: cause) }
    return .tls(cause: "the server does not speak TLS at this port; is it http?")
  }
}
