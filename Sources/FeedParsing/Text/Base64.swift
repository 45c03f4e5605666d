import Foundation

/// Decodes Base64, which Atom 0.3 content may use.
enum Base64 {
  /// Returns the decoded bytes; nil if the text is not Base64, with or without the characters for URLs and the
  /// signs at its end.
  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    var letters: [UInt8] = []
    letters.reserveCapacity(text.count + 3)
    for index in text.indices where text[index] > 0x20 && text[index] != UInt8(ascii: "=") {
      switch text[index] {
      case UInt8(ascii: "-"): letters.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): letters.append(UInt8(ascii: "/"))
      case let letter: letters.append(letter)
      }
    }
    while !letters.count.isMultiple(of: 4) { letters.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: Data(letters)).map { Array($0) }
  }
}
