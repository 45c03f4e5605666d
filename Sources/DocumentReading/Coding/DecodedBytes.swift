/// Removes compression from sources, by their first bytes and not by their names.
enum DecodedBytes {
  /// The most layers of compression that are removed.
  private static let mostLayers = 3

  /// Returns the decoded bytes of a source that is compressed with gzip or Zstandard; of others, the same bytes.
  static func of(_ source: any ByteSource) throws(InputFailure) -> PeekedBytes {
    var decoded = PeekedBytes(source)
    for _ in 0..<mostLayers {
      let start = Array(try decoded.peek(4))
      if start.starts(with: [0x1F, 0x8B]) {
        decoded = PeekedBytes(try GzipBytes(decoded))
      } else if start == [0x28, 0xB5, 0x2F, 0xFD] {
        decoded = PeekedBytes(try ZstdBytes(decoded))
      } else {
        break
      }
    }
    return decoded
  }
}
