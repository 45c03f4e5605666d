import CCurl
import Glibc
import TextOutput

/// Texts for the causes of failures that libcurl describes by its internals or not at all.
///
/// One result code of libcurl covers several causes. Its messages are read only where no number distinguishes them:
/// `CURLINFO_OS_ERRNO` is set for connections, not for transfers, and certificates have no portable code.
enum CauseText {
  /// Returns the cause of a failure.
  ///
  /// - Parameters:
  ///   - code: libcurl's result code.
  ///   - text: libcurl's message, which is returned if no better text is known.
  ///   - systemError: The error number of the last connection that failed (errno(3)); 0 if no error is known.
  ///   - host: The host of the requested address.
  static func text(_ code: CURLcode, message text: String, systemError: Int32, host: String) -> String {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return "the host \(TextOutput.printable(host)) was not found (DNS)"
    case CURLE_COULDNT_RESOLVE_PROXY: return "its host was not found (DNS)"
    case CURLE_COULDNT_CONNECT: return "could not connect\(place(in: text)): \(cause(systemError))"
    case CURLE_GOT_NOTHING: return "the server closed the connection without an answer"
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR: return connectionLoss(text)
    case CURLE_PARTIAL_FILE: return "the connection was closed before the end of the body"
    case CURLE_BAD_CONTENT_ENCODING:
      if text.contains("Unrecognized content encoding") { return "its content encoding was not requested" }
      return text.contains("content encodings") ? "it has too many encodings" : "its compression is damaged"
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: return certificate(text, host: host)
    default: return text
    }
  }

  /// Returns a cause for people: with control characters escaped, and without a secret wherever it occurs.
  static func printable(_ cause: String, without secret: String?) -> String {
    guard let secret, !secret.isEmpty else { return TextOutput.printable(cause) }
    let parts = cause.split(separator: secret, omittingEmptySubsequences: false)
    return TextOutput.printable(parts.joined(separator: "***"))
  }

  /// Returns the part " to 127.0.0.1 port 1" of "Failed to connect to 127.0.0.1 port 1 after 0 ms: …"; empty if it is
  /// missing.
  private static func place(in text: String) -> String {
    guard let match = text.firstMatch(of: #/ to (\S+) port (\d+)/#) else { return "" }
    return " to \(match.output.1) port \(match.output.2)"
  }

  private static func cause(_ systemError: Int32) -> String {
    switch systemError {
    case ECONNREFUSED: "no server listens there (connection refused)"
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: "the network has no route to it"
    case ETIMEDOUT: "no answer before the timeout"
    case EACCES, EPERM: "this system does not allow it"
    default: "no answer"
    }
  }

  private static func connectionLoss(_ text: String) -> String {
    if text.contains("reset by peer") { return "the server reset the connection" }
    if text.contains("chunked-encoding") { return "the chunked encoding of the body is damaged" }
    return text.hasPrefix("Recv failure: ") || text.hasPrefix("Send failure: ")
      ? String(text.dropFirst("Recv failure: ".count)) : text
  }

  private static func certificate(_ text: String, host: String) -> String {
    if text.contains("no alternative certificate subject name") || text.contains("does not match target host")
    {
      return "the certificate is not for \(TextOutput.printable(host))"
    }
    guard let prefix = text.firstRange(of: "SSL certificate problem: ") else { return text }
    return "the certificate is not valid: \(text[prefix.upperBound...])"
  }
}
