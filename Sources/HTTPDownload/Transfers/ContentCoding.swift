/// A body's coding according to its Content-Encoding field (RFC 9110, section 8.4).
enum ContentCoding: Equatable {
  /// The header line that requests the codings that ``Inflater`` decodes.
  ///
  /// Brotli and Zstandard are not requested: their decoders may need 8 to 16 MiB for each of many transfers.
  /// This decoder needs 40 KiB.
  static let requestLine = Array("Accept-Encoding: gzip, deflate".utf8)

  /// The body is not coded.
  case plain
  case deflate
  /// The body is coded in a way that was not requested, or more than once.
  case unsupported(String)

  /// The codings that exist and are not requested, in lower case (IANA's registry of HTTP content codings,
  /// and the former name of compress).
  private static let unsupported: Set = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd",
  ]

  /// - Parameter field: The field's values, joined by commas; nil if it is missing.
  init(field: String?) {
    // Other names do not exist. They are often character encodings, and the body is plain.
    let names = Self.names(field).filter { Self.isDeflate($0) || Self.unsupported.contains($0) }
    switch names.count {
    case 0: self = .plain
    case 1 where Self.isDeflate(names[0]): self = .deflate
    default: self = .unsupported(names.joined(separator: ", "))
    }
  }

  /// Returns whether a body has no transfer coding except chunked, according to its Transfer-Encoding field.
  static func isPlain(transferEncoding field: String?) -> Bool {
    names(field).allSatisfy { $0 == "chunked" || $0 == "identity" }
  }

  private static func isDeflate(_ name: String) -> Bool {
    name == "gzip" || name == "x-gzip" || name == "deflate"
  }

  /// Returns the names in a field, in lower case.
  static func names(_ field: String?) -> [String] {
    (field ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
  }
}
