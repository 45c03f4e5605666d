/// Removes compression from sources, recognized by their first bytes and not by their names.
enum DecodedBytes {
  /// The maximum count of compression layers that are removed.
  private static let mostLayers = 3

  /// Returns a compressed source's decoded bytes; other sources unchanged.
  static func of(_ source: any ByteSource) throws(InputFailure) -> PeekedBytes {
    var decoded = PeekedBytes(source)
    var layers = 0
    while layers <= mostLayers {
      let head = try decoded.peek(InputForm.headBytes)
      switch InputForm(head) {
      case .gzip:
        decoded = PeekedBytes(try GzipBytes(decoded))
        layers += 1
      case .compressed:
        if let refusal = ZstdFrame(head)?.refusal { throw refusal }
        let stream = try ArchiveStream(compressed: decoded)
        // libarchive examines more bytes, and passes on what it does not recognize.
        guard stream.layerCount > 0 else { throw .notRecognized }
        decoded = PeekedBytes(stream)
        layers += stream.layerCount
      case .plain, .tar, .cpio, .zip, .sevenZip: return decoded
      }
    }
    throw InputFailure(.refused, "compressed more than \(mostLayers) times")
  }
}

extension InputFailure {
  fileprivate static let notRecognized = InputFailure(.refused, "its compression is damaged or not supported")
}
