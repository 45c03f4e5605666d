import Markup

/// The law of encodings: events contain only XML characters as UTF-8, and do not depend on the chunks.
enum EncodingLaw {
  private struct Outcome: Equatable {
    var log: [UInt8] = []
    var encoding = ""
    var hasRepaired = false
    var depth = 0
    var error: XMLReadError?
  }

  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    let line = input.firstIndex(of: 0x0A) ?? input.count
    let contentType = String(decoding: input[..<line].prefix(80), as: UTF8.self)
    let document = Array(input[min(line + 1, input.count)...])
    var chunks = Chunks(document)
    if chunks.hasBracketInDoctype { return false }
    let whole = try read([document], contentType)
    for cut in chunks.cuts() {
      let other = try read(cut, contentType)
      let same = zip(whole.log, other.log).prefix { $0 == $1 }.count
      try expect(
        other == whole,
        """
        the result depends on the chunks \(cut.prefix(60).map(\.count)):
        \(describe(whole, from: same))
        \(describe(other, from: same))
        """)
    }
    return true
  }

  private static func read(_ chunks: [[UInt8]], _ contentType: String) throws(Law.Violation) -> Outcome {
    let recorder = Recorder()
    var outcome = Outcome()
    do throws(XMLReadError) {
      let reader = try XMLDocumentReader(handler: recorder, contentType: contentType)
      do throws(XMLReadError) {
        for chunk in chunks {
          try unsafe chunk.span.bytes.withUnsafeBytes { bytes throws(XMLReadError) in
            try unsafe reader.read(bytes)
          }
        }
        try reader.finish()
      } catch { outcome.error = error }
      outcome.encoding = reader.encodingName
      outcome.hasRepaired = reader.hasRepaired
      outcome.depth = reader.depth
    } catch { outcome.error = error }
    // Listeners drop an element that an error cuts off, so the extent of its events does not matter.
    outcome.log = outcome.error == nil ? recorder.log : recorder.settledLog
    try checkCharacters(of: recorder.log)
    return outcome
  }

  private static func checkCharacters(of log: [UInt8]) throws(Law.Violation) {
    guard let text = String(validating: log, as: UTF8.self) else { throw Law.Violation("events hold UTF-8") }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0, 5...8, 0x0B, 0x0C, 0x0E..<0x20, 0xFFFE, 0xFFFF:
        throw Law.Violation("events hold U+\(String(scalar.value, radix: 16)), which XML forbids")
      default: continue
      }
    }
  }

  private static func describe(_ outcome: Outcome, from start: Int) -> String {
    let log = String(decoding: outcome.log.dropFirst(max(0, start - 60)).prefix(200), as: UTF8.self)
    return
      "\(outcome.encoding) \(outcome.hasRepaired) \(outcome.depth) \(String(describing: outcome.error)) \(log)"
  }
}

/// A recorder of events, with marks that no text contains: controls 1 to 4.
private final class Recorder: XMLEventHandler {
  private(set) var log: [UInt8] = []
  private var settled = 0

  var settledLog: [UInt8] { Array(log[..<settled]) }

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    log.append(1)
    write(name)
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index) else { continue }
      log.append(2)
      write(name)
      log.append(3)
      attributes.appendValue(at: index, to: &log)
    }
    log.append(3)
  }

  override func endElement() -> Bool {
    log.append(4)
    settled = log.count
    return true
  }

  override func text(_ bytes: Span<UInt8>) { log.append(bytes) }

  override func recover(_ step: XMLRecovery) {
    if case .rollBack = step { log.removeSubrange(settled...) }
  }

  private func write(_ name: XMLName) {
    name.withPrefixBytes { log.append($0) }
    log.append(UInt8(ascii: ":"))
    name.withLocalBytes { log.append($0) }
  }
}
