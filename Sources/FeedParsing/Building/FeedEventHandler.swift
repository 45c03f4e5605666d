internal import Markup

/// Passes the reader's events to the builder.
@safe
final class FeedEventHandler: XMLEventHandler {
  /// The builder, in its own allocation.
  ///
  /// As a class property it would need a run-time check for exclusive access at every event. There are
  /// millions, and the checks would take a sixth of the total time. Only the methods below use the builder,
  /// one after the other, and none calls back into another.
  private let pointer: UnsafeMutablePointer<FeedBuilder>

  init(source: DocumentSource, limits: ParserLimits) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: FeedBuilder(source: source, limits: limits))
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

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
