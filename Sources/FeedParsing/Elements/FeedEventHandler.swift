internal import Markup

/// Hands the events of the reader to the builder.
@safe
final class FeedEventHandler: XMLEventHandler {
  /// The builder stands behind a pointer of its own: as a property of the class, each of millions of events
  /// would pay for the run-time check of exclusive access (a sixth of the whole time). Only the methods below
  /// touch it, one after the other, and none calls back into another.
  private let pointer: UnsafeMutablePointer<FeedBuilder>

  init(source: DocumentSource, limits: ParserLimits) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: FeedBuilder(source: source, limits: limits))
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The builder as it is now.
  var builder: FeedBuilder {
    _read { yield unsafe pointer.pointee }
  }

  func reserveText(_ byteCount: Int) { unsafe pointer.pointee.reserveText(byteCount) }

  func takeItems() -> ParsedItemBatch { unsafe pointer.pointee.takeItems() }

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    unsafe pointer.pointee.start(name, attributes)
  }

  override func endElement() -> Bool { unsafe pointer.pointee.end() }

  override func text(_ bytes: Span<UInt8>) { unsafe pointer.pointee.text(bytes) }

  override func recover(_ step: XMLRecovery) { unsafe pointer.pointee.recover(step) }

  override var state: XMLHandlerState { unsafe pointer.pointee.state }

  override func elementsEnded(by name: XMLName) -> XMLEndedElements {
    unsafe pointer.pointee.elementsEnded(by: name)
  }
}
