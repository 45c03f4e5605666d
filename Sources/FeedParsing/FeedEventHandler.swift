internal import XMLStream

/// Hands the events of the reader to the builder.
final class FeedEventHandler: XMLEventHandler {
  var builder: FeedBuilder

  init(source: DocumentSource, limits: ParserLimits) {
    builder = FeedBuilder(source: source, limits: limits)
  }

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) { builder.start(name, attributes) }

  override func endElement() -> Bool { builder.end() }

  override func text(_ bytes: Span<UInt8>) { builder.text(bytes) }

  override func rollBack(toDepth depth: Int) { builder.rollBack(toDepth: depth) }

  override func elementsClosed(by name: XMLName) -> Int { builder.countClosed(by: name) }

  override var exceededLimit: XMLLimit? { builder.exceeded }
}
