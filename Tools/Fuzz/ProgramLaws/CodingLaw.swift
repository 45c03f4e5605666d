import Inflating
import ParserLaws

/// The law of coded bodies: the pieces in which they arrive change nothing, and no decoded piece is too large.
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
    var error: Inflater.Failure?
  }

  private static func decode(_ pieces: [[UInt8]]) throws(Law.Violation) -> Outcome {
    var outcome = Outcome()
    var largest = 0
    do throws(Inflater.Failure) {
      let inflater = try Inflater()
      for piece in pieces {
        inflater.add(piece)
        while outcome.bytes.count < 4 << 20 {
          let decoded = try inflater.next()
          if decoded.isEmpty { break }
          largest = max(largest, decoded.count)
          outcome.bytes += decoded
        }
      }
      outcome.isComplete = inflater.isComplete
    } catch {
      outcome.error = error
    }
    try expect(largest <= Inflater.pieceBytes, "a piece of \(largest) bytes")
    // A bomb ends at different places.
    if outcome.bytes.count >= 4 << 20 { return Outcome() }
    return outcome
  }
}
