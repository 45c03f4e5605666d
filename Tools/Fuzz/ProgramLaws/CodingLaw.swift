import HTTPDownload
import ParserLaws

/// The law of coded bodies: the pieces in which they arrive change nothing, and no decoded piece is larger than a chunk.
enum CodingLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    guard let size = input.first, input.count > 1 else { return false }
    let body = input.dropFirst()
    let whole = try decode([Array(body)])
    var pieces: [[UInt8]] = []
    var rest = body
    while !rest.isEmpty {
      pieces.append(Array(rest.prefix(Int(size) + 1)))
      rest = rest.dropFirst(Int(size) + 1)
    }
    try expect(try decode(pieces) == whole, "the result depends on the pieces")
    return true
  }

  private struct Outcome: Equatable {
    var bytes: [UInt8] = []
    var isComplete = false
    var error: DownloadError?
  }

  private static func decode(_ pieces: [[UInt8]]) throws(Law.Violation) -> Outcome {
    var outcome = Outcome()
    do throws(DownloadError) {
      let inflater = try Inflater()
      for piece in pieces {
        var chunks = ChunkLine()
        chunks.append(piece.span)
        while outcome.bytes.count < 4 << 20, let chunk = try inflater.next(from: &chunks) {
          guard (1...ChunkLine.chunkSize).contains(chunk.count) else {
            outcome.error = .failed(cause: "a piece of \(chunk.count) bytes")
            break
          }
          outcome.bytes += chunk
        }
      }
      outcome.isComplete = inflater.isComplete
    } catch {
      outcome.error = error
    }
    if case .failed(let cause) = outcome.error { throw Law.Violation(cause) }
    // A bomb ends at different places.
    if outcome.bytes.count >= 4 << 20 { return Outcome() }
    return outcome
  }
}
