internal import Markup

/// Hands the events of the reader to the builder.
@safe
final class FeedEventHandler: XMLEventHandler {
  /// The builder stands behind a pointer of its own: as a property of the class, each of millions of events
  /// would pay for the run-time check of exclusive access (a sixth of the whole time). Only the methods below
  /// touch it, one after the other, and none calls back into another.
  private let state: UnsafeMutablePointer<FeedBuilder>

  init(source: DocumentSource, limits: ParserLimits) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: FeedBuilder(source: source, limits: limits))
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// The builder as it is now.
  var builder: FeedBuilder {
    _read { yield unsafe state.pointee }
  }

  func reserveText(_ byteCount: Int) { unsafe state.pointee.reserveText(byteCount) }

  func takeItems() -> ParsedItemBatch { unsafe state.pointee.takeItems() }

  override func declareNamespace(_ name: Span<UInt8>) { unsafe state.pointee.declare(name) }

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    unsafe state.pointee.start(name, attributes)
  }

  override func endElement() -> Bool { unsafe state.pointee.end() }

  override func text(_ bytes: Span<UInt8>) { unsafe state.pointee.text(bytes) }

  override func rollBack(toDepth depth: Int) { unsafe state.pointee.rollBack(toDepth: depth) }

  override func passOver(toDepth depth: Int) { unsafe state.pointee.passOver(toDepth: depth) }

  override var mayPassOver: Bool { unsafe state.pointee.mayPassOver }

  override func elementsClosed(by name: XMLName) -> Int { unsafe state.pointee.countClosed(by: name) }

  override func elementsInDoubt(by name: XMLName) -> Int { unsafe state.pointee.countInDoubt(by: name) }

  override func isPart(_ localName: Span<UInt8>) -> Bool {
    let name = LocalName.named(localName)
    return name == .item || name == .entry
  }

  override func reopenPart() { unsafe state.pointee.reopenPart() }

  override var mayEndEarly: Bool { unsafe state.pointee.mayEndEarly }

  override var isInText: Bool { unsafe state.pointee.isCapturing }

  override var needsRepair: Bool { unsafe state.pointee.needsRepair }

  override var exceededLimit: XMLLimit? { unsafe state.pointee.exceeded }
}
