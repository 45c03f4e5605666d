/// Receives the events from an ``XMLDocumentReader``. It is a class to inherit from, so an event costs one
/// indirect call.
open class XMLEventHandler {
  /// Creates a handler that ignores all events.
  public init() {}

  /// A start tag. `attributes` are valid during the call.
  open func startElement(_ name: XMLName, _ attributes: XMLAttributes) {}

  /// The end of the last opened element.
  ///
  /// - Returns: True if everything up to here is settled. After damage, the document is read again from this
  ///   point, and ``XMLRecovery/rollBack(depth:)`` needs to forget only later events.
  open func endElement() -> Bool { false }

  /// Character data, in any number of pieces. It is valid during the call.
  open func text(_ bytes: Span<UInt8>) {}

  /// A recovery step after damage.
  open func recover(_ step: XMLRecovery) {}

  /// The handler's state, which determines how reading continues.
  open var state: XMLHandlerState { XMLHandlerState() }

  /// Returns the elements that end at a start tag, although their end tags are missing. Called in damaged
  /// documents only.
  open func elementsEnded(by name: XMLName) -> XMLEndedElements { XMLEndedElements() }
}

/// A recovery step after damage.
public enum XMLRecovery: Sendable {
  /// Everything since the last settled point must be forgotten: the tolerant parser reads it again. `depth`
  /// elements are open there.
  case rollBack(depth: Int)
  /// The open elements that are not settled are skipped, because too much was read to read it again. `depth`
  /// elements are open where the tolerant parser continues.
  case passOver(depth: Int)
  /// The following belongs to a part that has ended where another part began inside it. It is ignored up to
  /// the next ``XMLEventHandler/endElement()``.
  case reopenPart
}

/// The handler state that determines how reading continues.
public struct XMLHandlerState: Sendable {
  /// The limit that the handler found exceeded. Until reading stops, the handler ignores further events.
  public var exceededLimit: XMLLimit?
  /// True if the document must be read as a damaged one from the last settled point, although it is
  /// well-formed. Until then nothing more may be settled.
  public var needsRepair = false
  /// True if events may be skipped because an end tag is missing. Used if the text since the last settled
  /// point was too long to keep.
  public var mayPassOver = false
  /// True if the last opened element may end where another one in it would be too deep.
  public var mayEndEarly = false
  /// True if the last opened element is part of a text, so that HTML rules determine where it ends.
  public var isInText = false

  /// Creates the state for a handler without requirements.
  public init() {}
}

/// Counts the open elements, from the innermost, that end at a start tag.
public struct XMLEndedElements: Sendable {
  /// The number of elements that certainly end.
  public var certain: Int
  /// The number of elements that end unless the outermost one has an end tag before the part around it ends.
  public var doubtful: Int

  /// Creates the counts.
  public init(certain: Int = 0, doubtful: Int = 0) {
    (self.certain, self.doubtful) = (certain, doubtful)
  }
}

/// A limit that a document must not exceed.
public struct XMLLimit: Error, Equatable, Sendable {
  /// The limit's name, such as "depth of elements".
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
  /// The maximum element depth.
  public var depth = 256
  /// The maximum length of a tag, comment or declaration, in bytes. In a longer tag, the attributes within
  /// the limit are read.
  public var tagBytes = 1 << 20
  /// The maximum attribute count for a long tag: libxml2 compares every pair.
  public var attributes = 1024
  /// The maximum number of namespace declarations in force: they are searched for each prefix.
  public var namespaces = 512
  /// The maximum number of different names in a document: libxml2's name table is slow when it is full.
  public var names = 50_000
  /// The maximum size of all declared entities' replacements, in bytes. The first 64 bytes for each reference
  /// are not counted.
  public var expandedBytes = 1 << 20
  /// The maximum number of bytes kept since the last settled point, to be read again after damage.
  public var replayBytes = 16 << 20

  /// The usual limits.
  public init() {}

  // The limits in the form in which they are reported.
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
