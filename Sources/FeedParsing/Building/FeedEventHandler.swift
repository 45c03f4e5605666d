internal import Markup

/// Passes the events of the reader to the builder.
@safe
final class FeedEventHandler: XMLEventHandler {
  /// The builder, behind its own pointer. As a property of the class it would cost a run-time check of exclusive
  /// access for each of millions of events (a sixth of the total time). Only the methods below use it, one after the
  /// other, and none calls back into another.
  private let pointer: UnsafeMutablePointer<FeedBuilder>

  init(source: DocumentSource, limits: ParserLimits) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: FeedBuilder(source: source, limits: limits))
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The present builder.
  var builder: FeedBuilder {
    _read { yield unsafe pointer.pointee }
  }

  func reserveText(_ byteCount: Int) { unsafe pointer.pointee.texts.reserve(byteCount) }

  func takeItems() -> ParsedItemBatch { unsafe pointer.pointee.takeItems() }

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    unsafe pointer.pointee.start(name, attributes)
  }

  override func endElement() -> Bool { unsafe pointer.pointee.end() }

  override func text(_ bytes: Span<UInt8>) { unsafe pointer.pointee.text(bytes) }

  override func recover(_ step: XMLRecovery) { unsafe pointer.pointee.recover(step) }

  override var state: XMLHandlerState { unsafe pointer.pointee.currentState() }

  override func elementsEnded(by name: XMLName) -> XMLEndedElements {
    unsafe pointer.pointee.elementsEnded(by: name)
  }
}
