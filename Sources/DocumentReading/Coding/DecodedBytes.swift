/// Removes compression from sources, recognized by their first bytes and not by their names.
enum DecodedBytes {
  /// The maximum count of compression layers that are removed.
  static let mostLayers = 3

  /// Returns a compressed source's decoded bytes; other sources unchanged.
  static func of(_ source: any ByteSource) throws(InputFailure) -> PeekedBytes {
    var decoded = PeekedBytes(source)
    for _ in 0..<mostLayers {
      let head = try decoded.peek(InputForm.headBytes)
      switch InputForm(head) {
      case .gzip: decoded = PeekedBytes(try GzipBytes(decoded))
      case .compressed:
        if let refusal = ZstdFrame(head)?.refusal { throw refusal }
        decoded = PeekedBytes(try ArchiveStream(compressed: decoded))
      case .plain, .tar, .zip, .sevenZip: return decoded
      }
    }
    return decoded
  }
}
