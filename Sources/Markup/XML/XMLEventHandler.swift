/// Receives what an ``XMLDocumentReader`` finds. A class to inherit from: one indirect call an event.
open class XMLEventHandler {
  /// Creates a handler that ignores everything.
  public init() {}

  /// A namespace that the next start tag declares.
  open func declareNamespace(_ name: Span<UInt8>) {}

  /// A start tag. `attributes` are valid during the call.
  open func startElement(_ name: XMLName, _ attributes: XMLAttributes) {}

  /// The end of the element that was opened last.
  ///
  /// - Returns: Whether everything up to here is settled, so that after damage the document may be
  ///   read again from this point and ``rollBack()`` needs to forget only what came later.
  open func endElement() -> Bool { false }

  /// Character data, in any number of pieces. Valid during the call.
  open func text(_ bytes: Span<UInt8>) {}

  /// Forgets all since the last settled point: the strict parser met damage, and reading goes on from there
  /// with the tolerant one. `depth` elements are open.
  open func rollBack(toDepth depth: Int) {}

  /// Passes over what is open and not settled, to its end: damage was met, and too much came since the last settled
  /// point to read it again. `depth` elements are open where the tolerant parser goes on.
  open func passOver(toDepth depth: Int) {}

  /// Whether what means something may be passed over because it stands in an element that nobody closed. Asked when so
  /// much came since the last settled point that it can be kept no longer.
  open var mayPassOver: Bool { false }

  /// Whether the document, although it is well-formed, is to be read again as a damaged one, from the last settled
  /// point on. Asked after each piece, and before what is open there ends; until then nothing more may be settled.
  open var needsRepair: Bool { false }

  /// How many open elements `name` ends when its start tag is met. Asked in damaged documents only.
  open func elementsClosed(by name: XMLName) -> Int { 0 }

  /// How many open elements `name` ends when its start tag is met, provided that the outermost of them has no end
  /// tag before the part of the document around it ends (``isPart(_:)``). Asked in damaged documents only.
  open func elementsInDoubt(by name: XMLName) -> Int { 0 }

  /// Whether elements of this local name are parts of the document that nothing in them reaches beyond. Asked in
  /// damaged documents only.
  open func isPart(_ localName: Span<UInt8>) -> Bool { false }

  /// What follows belongs to a part (``isPart(_:)``) that ended where another one began in it, and cannot be added to it
  /// any more: it is to be ignored up to the next ``endElement()``. In damaged documents only.
  open func reopenPart() {}

  /// Whether the element that was opened last may end where another one in it would be too deep. Asked in damaged
  /// documents only.
  open var mayEndEarly: Bool { false }

  /// Whether the element that was opened last is part of a text, so that the rules of HTML say where it ends. Asked in
  /// damaged documents only.
  open var isInText: Bool { false }

  /// A limit that the handler found exceeded. Asked after each piece of the document; until reading stops, the
  /// handler ignores what follows.
  open var exceededLimit: XMLLimit? { nil }
}

/// What a document may not exceed.
public struct XMLLimit: Error, Equatable, Sendable {
  /// The limit in words, such as "depth of elements".
  public let name: String
  /// The value that was exceeded.
  public let value: Int

  /// Names a limit and its value.
  public init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}

/// The limits that the reader itself keeps.
public struct XMLReaderLimits: Sendable {
  /// How deep elements may nest.
  public var depth = 256
  /// How long a tag, a comment or a declaration may be. Of a longer tag the attributes within the limit are read.
  public var tagBytes = 1 << 20
  /// How many attributes a long tag may have: libxml2 compares each with each.
  public var attributes = 1024
  /// How many declarations of namespaces may be in force at one place: each prefix is looked for among them.
  public var namespaces = 512
  /// How many different names a document may use: libxml2's table of names is slow when it is full.
  public var names = 50_000
  /// How much the entities that a document declares may bring in all; the first 64 bytes at each reference
  /// are not counted.
  public var expandedBytes = 1 << 20
  /// How many bytes are kept since the last settled point, to be read again after damage.
  public var replayBytes = 16 << 20

  /// The usual limits.
  public init() {}
}

/// Why reading ended.
public enum XMLReadError: Error, Equatable, Sendable {
  /// A limit was exceeded.
  case limit(XMLLimit)
  /// The library gave no memory.
  case outOfMemory
}
