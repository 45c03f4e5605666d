/// Receives the events of an ``XMLDocumentReader``. It is a class to inherit from, so that an event costs one indirect call.
open class XMLEventHandler {
  /// Creates a handler that ignores all events.
  public init() {}

  /// A start tag. `attributes` are valid during the call.
  open func startElement(_ name: XMLName, _ attributes: XMLAttributes) {}

  /// The end of the element that was opened last.
  ///
  /// - Returns: True if everything up to here is settled: after damage, the document is read again from this point, and
  ///   ``XMLRecovery/rollBack(depth:)`` needs to forget only later events.
  open func endElement() -> Bool { false }

  /// Character data, in any number of pieces. It is valid during the call.
  open func text(_ bytes: Span<UInt8>) {}

  /// A step of the recovery from damage.
  open func recover(_ step: XMLRecovery) {}

  /// The handler's state, which determines how the document is read on.
  open var state: XMLHandlerState { XMLHandlerState() }

  /// Returns the elements that end at a start tag, although their end tags are missing. Called in damaged documents only.
  open func elementsEnded(by name: XMLName) -> XMLEndedElements { XMLEndedElements() }
}

/// A step of the recovery from damage.
public enum XMLRecovery: Sendable {
  /// Everything since the last settled point is read again with the tolerant parser, and must be forgotten. `depth` elements
  /// are open there.
  case rollBack(depth: Int)
  /// Too much was read since the last settled point to read it again: the open elements that are not settled are skipped.
  /// `depth` elements are open where the tolerant parser continues.
  case passOver(depth: Int)
  /// The following belongs to a part that has ended where another part began in it. It is ignored up to the next
  /// ``XMLEventHandler/endElement()``.
  case reopenPart
}

/// The part of a handler's state that determines how the document is read on.
public struct XMLHandlerState: Sendable {
  /// The limit that the handler found exceeded. Until reading stops, the handler ignores further events.
  public var exceededLimit: XMLLimit?
  /// True if the document must be read again as a damaged one from the last settled point, although it is well-formed. Until
  /// then nothing more may be settled.
  public var needsRepair = false
  /// True if events may be skipped because of an element without an end tag. Used if too much was read since the last settled
  /// point to keep it.
  public var mayPassOver = false
  /// True if the element that was opened last may end where another one in it would be too deep.
  public var mayEndEarly = false
  /// True if the element that was opened last is part of a text, so that the rules of HTML determine where it ends.
  public var isInText = false

  /// Creates the state of a handler without requirements.
  public init() {}
}

/// The numbers of open elements, from the innermost, that end at a start tag.
public struct XMLEndedElements: Sendable {
  /// The elements that certainly end.
  public var certain: Int
  /// The elements that end unless the outermost of them has an end tag before the end of the part around it.
  public var doubtful: Int

  /// Creates the numbers.
  public init(certain: Int = 0, doubtful: Int = 0) {
    (self.certain, self.doubtful) = (certain, doubtful)
  }
}

/// A limit that a document must not exceed.
public struct XMLLimit: Error, Equatable, Sendable {
  /// The name of the limit, such as "depth of elements".
  public let name: String
  /// The value that was exceeded.
  public let value: Int

  /// Creates a limit.
  public init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}

/// The limits of the reader.
public struct XMLReaderLimits: Sendable {
  /// The maximum depth of elements.
  public var depth = 256
  /// The maximum length of a tag, a comment or a declaration. Of a longer tag the attributes within the limit are
  /// read.
  public var tagBytes = 1 << 20
  /// The maximum number of attributes of a long tag: libxml2 compares each with each.
  public var attributes = 1024
  /// The maximum number of namespace declarations in force: each prefix is searched among them.
  public var namespaces = 512
  /// The maximum number of different names in a document: libxml2's table of names is slow when it is full.
  public var names = 50_000
  /// The maximum number of bytes from entities that a document declares. The first 64 bytes of each reference are not
  /// counted.
  public var expandedBytes = 1 << 20
  /// The maximum number of bytes that are kept since the last settled point, to be read again after damage.
  public var replayBytes = 16 << 20

  /// The usual limits.
  public init() {}

  // The limits as they are reported when they are exceeded.
  var onDepth: XMLLimit { XMLLimit(name: "depth of elements", value: depth) }
  var onAttributes: XMLLimit { XMLLimit(name: "attributes of a tag", value: attributes) }
  var onNamespaces: XMLLimit { XMLLimit(name: "namespaces at one place", value: namespaces) }
  var onNames: XMLLimit { XMLLimit(name: "different names", value: names) }
  var onExpandedBytes: XMLLimit { XMLLimit(name: "bytes of expanded entities", value: expandedBytes) }
}

/// The reason why reading ended.
public enum XMLReadError: Error, Equatable, Sendable {
  /// A limit was exceeded.
  case limit(XMLLimit)
  /// Memory could not be allocated.
  case outOfMemory
}
