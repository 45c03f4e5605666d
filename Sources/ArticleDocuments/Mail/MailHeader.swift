import TextOutput

/// A field in a message's header (RFC 5322, 2.2), in ASCII and in lines with at most 76 characters where it
/// has spaces.
///
/// A field is made from words without white space, so that no value from outside can begin another field.
struct MailHeader {
  /// The most characters in a line with an encoded word, without its end (RFC 2047, 2).
  private static let columns = 76
  /// The longest word that a line may contain.
  private static let mostInWord = 900

  private(set) var text: String
  /// The character count in the last line.
  private var used: Int
  private var isEmpty = true

  /// - Parameters:
  ///   - name: The field's name.
  ///   - words: Words in printable ASCII; see ``words(ofText:)`` and ``mailbox(name:address:)``.
  init(_ name: StaticString, _ words: [String]) {
    text = "\(name):"
    used = text.utf8.count
    for word in words { add(word) }
    text += "\n"
  }

  private mutating func add(_ word: String) {
    let count = word.utf8.count
    if !isEmpty, used + 1 + count > Self.columns {
      text += "\n"
      used = 0
    }
    text += " " + word
    used += 1 + count
    isEmpty = false
  }

  // MARK: Words

  /// Returns the words of unstructured text, such as a subject: printable ASCII as it is, otherwise encoded
  /// words (RFC 2047).
  static func words(ofText text: String) -> [String] {
    let text = oneLine(text)
    guard isPlain(text) else { return encodedWords(text) }
    return text.split(separator: " ").map(String.init)
  }

  /// Returns the words for an address with its name (RFC 5322, 3.4).
  ///
  /// - Parameters:
  ///   - name: The displayed name; nil for none.
  ///   - address: An address from ``MailAddress``.
  static func mailbox(name: String?, address: String) -> [String] {
    phrase(name ?? "") + ["<\(address)>"]
  }

  /// Returns the words in a name or a keyword, quoted if it has other signs than letters and digits.
  static func phrase(_ text: String) -> [String] {
    let text = oneLine(text)
    guard isPlain(text) else { return encodedWords(text) }
    let words = text.split(separator: " ").map(String.init)
    if words.allSatisfy({ $0.utf8.allSatisfy(MailAddress.isHost) }) { return words }
    let quoted = text.replacingASCII { byte in
      byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? "\\" + String(Unicode.Scalar(byte)) : nil
    }
    return "\"\(quoted)\"".split(separator: " ").map(String.init)
  }

  /// Returns a page address as a word; nil if it is too long for a line, or not an address.
  static func address(_ url: String) -> String? {
    let isWord = url.utf8.allSatisfy {
      $0 > 0x20 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") && $0 != 0x7F
    }
    guard isWord else { return nil }
    let word = String(decoding: url.utf8.percentEncoded { $0 < 0x80 }, as: UTF8.self)
    return word.isEmpty || word.utf8.count > mostInWord ? nil : word
  }

  /// Returns text with single spaces instead of white space, control characters and hidden characters.
  static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split { $0.properties.isWhitespace || Unicode.Scalar.isUnsafe($0.value) }
      .map { String($0) }.joined(separator: " ")
  }

  /// Returns whether a one-line text can be in a header as it is.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.contains("=?")
      && text.split(separator: " ").allSatisfy { $0.utf8.count < columns - 20 }
  }

  /// The bytes in an encoded word. Their 64 characters fit after a field's name and before a comma.
  private static let bytesOfWord = 39

  /// Returns text as encoded words, each with whole characters.
  private static func encodedWords(_ text: String) -> [String] {
    var words: [String] = []
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      let next = Array(String(scalar).utf8)
      if bytes.count + next.count > bytesOfWord {
        words.append(encodedWord(bytes))
        bytes = []
      }
      bytes += next
    }
    if !bytes.isEmpty { words.append(encodedWord(bytes)) }
    return words
  }

  private static func encodedWord(_ bytes: [UInt8]) -> String { "=?UTF-8?B?\(Base64.text(bytes))?=" }
}

enum MailAddress {
  /// The domain for addresses that receive no mail (RFC 6761, 6.4).
  static let domain = "newsimport.invalid"

  /// Returns an address that every mail program reads (RFC 5322, dot-atom "@" host); nil for another text.
  static func valid(_ text: String?) -> String? {
    guard let text, text.utf8.count <= 254 else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, isDotted(parts[0], isAtom), isDotted(parts[1], isHost) else { return nil }
    return text
  }

  /// Returns the address for a person or a feed that has none.
  ///
  /// - Parameter host: The feed's host; nil without one.
  static func substitute(host: String?) -> String {
    let name = (host ?? "").utf8.map { isHost($0) || $0 == UInt8(ascii: ".") ? $0 : UInt8(ascii: "-") }
    let words = String(decoding: name.prefix(200), as: UTF8.self).split(separator: ".")
    return (words.isEmpty ? "news" : words.joined(separator: ".")) + "@" + domain
  }

  private static func isDotted(_ text: Substring.UTF8View, _ isLetter: (UInt8) -> Bool) -> Bool {
    text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.allSatisfy(isLetter)
    }
  }

  private static func isAtom(_ byte: UInt8) -> Bool {
    isHost(byte) || "!#$%&'*+/=?^_`{|}~".utf8.contains(byte)
  }

  static func isHost(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }
}
