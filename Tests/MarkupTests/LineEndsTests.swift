import Testing

@testable import Markup

@Suite struct LineEndsTests {
  @Test(arguments: [
    (["a\r\nb\rc\nd"], "a\nb\nc\nd"), (["a\r", "\nb"], "a\nb"), (["a\r", "b"], "a\nb"),
    (["a\r", "\r", "\n\n"], "a\n\n\n"), (["\r\r\n\r"], "\n\n\n"), (["a\r", "\n", "\n"], "a\n\n"),
    (["no line end"], "no line end"), (["\n"], "\n"), ([""], ""),
  ])
  func `each carriage return becomes a line feed, together with the line feed after it`(
    pieces: [String], normalized: String
  ) throws {
    #expect(try text(of: pieces) == Array(normalized.utf8))
  }

  @Test func `the pieces do not matter`() throws {
    let text = "\r\n\r\r\n\n\ra\r\nb\n\r"
    let whole = try self.text(of: [text])
    for cut in 1..<text.utf8.count {
      let bytes = Array(text.utf8)
      let pieces = [bytes[..<cut], bytes[cut...]].map { String(decoding: $0, as: UTF8.self) }
      #expect(try self.text(of: pieces) == whole)
    }
  }

  private func text(of pieces: [String]) throws -> [UInt8] {
    var lineEnds = LineEnds()
    var result: [UInt8] = []
    for piece in pieces {
      try lineEnds.normalize(Array(piece.utf8).span) { text throws(XMLReadError) in result.append(text) }
    }
    return result
  }
}
