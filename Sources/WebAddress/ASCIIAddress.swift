import CIDN2
internal import TextOutput

/// The ASCII form of addresses: requests, feeds and web pages contain no other form (RFC 3986; RFC 9112,
/// section 3.2).
enum ASCIIAddress {
  /// Returns an address with its host in ASCII (IDNA with UTS 46, non-transitional) and not percent-encoded.
  /// User, path and query stay unchanged.
  ///
  /// - Throws: ``WebAddress/Problem`` if the host is not a valid name.
  static func withASCIIHost(_ text: String) throws(WebAddress.Problem) -> String {
    guard let host = hostRange(of: text) else { return text }
    let bytes = text.utf8[host]
    guard bytes.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) else { return text }
    return text[..<host.lowerBound] + (try self.host(bytes)) + text[host.upperBound...]
  }

  /// Returns the text with blanks, control characters and everything beyond ASCII percent-encoded in UTF-8.
  static func percentEncoded(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.percentEncoded(except: isPlain), as: UTF8.self)
  }

  /// Returns whether an address may contain a byte unchanged.
  static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  /// Returns the host in ASCII.
  private static func host(_ bytes: Substring.UTF8View) throws(WebAddress.Problem) -> String {
    let problem = WebAddress.Problem.invalid("its host is not a valid name")
    let name = bytes.percentDecoded
    guard let text = String(validating: name, as: UTF8.self), name.allSatisfy(isHostByte) else {
      throw problem
    }
    if name.allSatisfy({ $0 < 0x80 }) { return text }
    var converted: UnsafeMutablePointer<CChar>?
    let flags = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let code = unsafe text.withCString { unsafe idn2_to_ascii_8z($0, &converted, flags) }
    guard code == IDN2_OK.rawValue, let result = unsafe converted else { throw problem }
    defer { unsafe idn2_free(result) }
    let ascii = unsafe String(cString: result)
    // A full-width character may have become a delimiter.
    guard ascii.utf8.allSatisfy(isHostByte) else { throw problem }
    return ascii
  }

  /// Returns whether a host may contain a byte; false for delimiters.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    (isPlain(byte) || byte >= 0x80) && !"/?#@:[]%\\".utf8.contains(byte)
  }

  /// Returns the host's range in an http or https address; nil for other schemes, and for an IPv6 address.
  private static func hostRange(of text: String) -> Range<String.Index>? {
    guard WebAddress.begins(text, with: "http://") || WebAddress.begins(text, with: "https://"),
      let slashes = text.utf8.firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    let rest = text.utf8[text.utf8.index(slashes, offsetBy: 2)...]
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    let start =
      authority.lastIndex(of: UInt8(ascii: "@")).map { text.utf8.index(after: $0) } ?? authority.startIndex
    let host = authority[start...].prefix { $0 != UInt8(ascii: ":") }
    return host.first == UInt8(ascii: "[") ? nil : host.startIndex..<host.endIndex
  }
}

extension WebAddress {
  /// The address for requests and written documents.
  ///
  /// The host is in ASCII; blanks and everything beyond ASCII are percent-encoded. An invalid address keeps
  /// its host.
  public var asciiText: String {
    if case .plain = parts { return text }
    return Self.asciiText(text)
  }

  /// Returns a text with addresses from its bytes, such as a header field's value. If they are not UTF-8,
  /// bytes beyond ASCII are percent-encoded unchanged, so that the server receives its own bytes.
  package static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : ASCIIAddress.percentEncoded([$0]) }.joined()
  }

  /// Returns an address or a reference in the form for written documents; see ``asciiText``.
  public static func asciiText(_ text: String) -> String {
    if text.utf8.allSatisfy({ ASCIIAddress.isPlain($0) && $0 != UInt8(ascii: "%") }) { return text }
    let hosted = (try? ASCIIAddress.withASCIIHost(text)) ?? text
    return ASCIIAddress.percentEncoded(hosted.utf8)
  }
}
