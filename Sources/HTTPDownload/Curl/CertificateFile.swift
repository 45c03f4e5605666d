import Glibc
import TextOutput

/// The file with the trusted certificates that an environment variable names.
enum CertificateFile {
  private static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]

  /// The environment variable that names the file; nil if none is set.
  static var variable: String? { variables.first { environment($0) != nil } }

  /// The environment variable that names another file, which is not used; nil if none does.
  static var ignoredVariable: String? {
    guard let used = variable.flatMap(environment) else { return nil }
    return variables.first { environment($0) ?? used != used }
  }

  /// Returns the reason why a file cannot be used; nil if it can, judged by its markers alone.
  static func problem(_ path: String) -> String? {
    guard let file = unsafe fopen(path, "re") else { return words("cannot be read (\(systemCause()))", path) }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let text = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      guard text.starts(with: "-----BEGIN ".utf8) else { continue }
      // OpenSSL also reads "X509 CERTIFICATE" and "TRUSTED CERTIFICATE".
      if String(decoding: text, as: UTF8.self).contains("CERTIFICATE-----") { return nil }
    }
    let code = errno
    guard unsafe ferror(file) == 0 else { return words("cannot be read (\(systemCause(code)))", path) }
    return words("has no certificate in PEM form", path)
  }

  /// Returns a sentence about the file that also names its variable.
  static func words(_ problem: String, _ path: String? = nil) -> String {
    let path = printable(path ?? variable.flatMap(environment) ?? "the file")
    guard let variable else { return "\(path), the file with the trusted certificates, \(problem)" }
    return "\(variable) names \(path), which \(problem)"
  }
}
