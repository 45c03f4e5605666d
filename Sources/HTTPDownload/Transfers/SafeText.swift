/// Text from the network made fit for a terminal and a log line.
enum SafeText {
  /// `text` with control, format and line-separating characters written as `\u{1b}`.
  static func escaping(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mustEscape) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if mustEscape(scalar) {
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// `cause` fit to print: escaped, and without `secret` wherever it occurs.
  static func cause(_ cause: String, withoutSecret secret: String?) -> String {
    guard let secret, !secret.isEmpty else { return escaping(cause) }
    return escaping(cause.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "***"))
  }

  /// Format characters include those that turn the direction of writing and so disguise an address.
  private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
