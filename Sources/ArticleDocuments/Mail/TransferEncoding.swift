import Foundation

/// Base64 (RFC 2045, 6.8).
enum Base64 {
  static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Returns lines with at most 76 characters.
  static func lines(_ bytes: [UInt8]) -> String {
    let text = Data(bytes).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    return text.isEmpty ? "" : text + "\n"
  }
}

/// A text's form in a message (RFC 2045, 6), in lines with at most 76 characters.
///
/// No line begins with `From ` or `>From `: mailbox readers would take it for the beginning of a message, or
/// remove the sign (mboxrd). No line is a single dot: sendmail would take it for the message's end.
struct TransferEncoding {
  /// `quoted-printable`, which people can read; `base64` for texts with many other characters than ASCII.
  let name: String
  /// The encoded text, which ends with a line feed unless it is empty.
  let text: String

  init(_ content: String) {
    let bytes = Array(content.utf8)
    let others = bytes.count { $0 >= 0x80 }
    if others > bytes.count / 6 {
      (name, text) = ("base64", Base64.lines(bytes))
    } else {
      (name, text) = ("quoted-printable", Self.quotedPrintable(bytes))
    }
  }

  private static let columns = 76

  private static func quotedPrintable(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    var lineStart = 0
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") {
        result.append(byte)
        lineStart = result.count
        continue
      }
      let endsLine = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "\n")
      let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
      let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "=") || isBlank && !endsLine
      let width = isPlain ? 1 : 3
      // A line's last place is for the sign that it continues.
      if result.count - lineStart + width > columns - (endsLine ? 0 : 1) {
        result += [UInt8(ascii: "="), UInt8(ascii: "\n")]
        lineStart = result.count
      }
      if isPlain, result.count > lineStart || !isMisread(bytes[index...]) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "="))
        for digit in [byte >> 4, byte & 15] { result.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
      }
    }
    if let last = result.last, last != UInt8(ascii: "\n") { result.append(UInt8(ascii: "\n")) }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns whether a line would be read as the beginning or the end of a message.
  private static func isMisread(_ line: ArraySlice<UInt8>) -> Bool {
    switch line.first {
    case UInt8(ascii: "F"), UInt8(ascii: ">"):
      line.drop { $0 == UInt8(ascii: ">") }.starts(with: "From ".utf8)
    case UInt8(ascii: "."): line.count == 1 || line[line.startIndex + 1] == UInt8(ascii: "\n")
    default: false
    }
  }
}
