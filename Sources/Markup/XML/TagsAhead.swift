/// The tags between the current position and the end of the part around it, as far as they were examined.
///
/// Each tag is examined once. Offsets count from the beginning of the document.
struct TagsAhead {
  /// The kind of markup at the position up to which tags were examined.
  enum Inside {
    case content, characterData, comment
  }

  private enum Kind {
    /// A start tag without a known end tag.
    case start
    /// A start tag with its end tag in this list.
    case matchedStart
    /// An end tag with its start tag in this list.
    case end
    /// An end tag without its start tag in this list.
    case freeEnd
    /// An element without content.
    case empty
  }

  private struct Tag {
    var offset: Int
    var name: UInt64
    var kind: Kind
  }

  private struct Count {
    /// The numbers of start tags without an end tag. Some tags may have been read since.
    var starts: [Int] = []
    var freeEnds = 0
  }

  private(set) var scanned = 0
  var inside = Inside.content
  /// The offset of the part's end; nil if it is unknown.
  private(set) var end: Int?
  /// True if the part ends with its own end tag.
  private(set) var isClosed = false

  private var tags: [Tag] = []
  private var first = 0
  /// The number of removed tags before the first one in `tags`.
  private var removed = 0
  private var counts: [UInt64: Count] = [:]
  /// True if the last tag is a start tag and its end was not yet found.
  private var isInStartTag = false

  /// Returns whether an open element with this name has an end tag.
  func closes(_ name: Span<UInt8>) -> Bool { counts[Self.key(name)].map { $0.freeEnds > 0 } ?? false }

  /// Removes the tags before `offset`, which are read.
  mutating func drop(before offset: Int) {
    if scanned < offset || end.map({ $0 < offset }) == true {
      self = TagsAhead()
      scanned = offset
      return
    }
    while first < tags.count, tags[first].offset < offset {
      switch tags[first].kind {
      case .matchedStart: counts[tags[first].name]?.freeEnds += 1
      case .freeEnd: counts[tags[first].name]?.freeEnds -= 1
      case .start, .end, .empty: break
      }
      first += 1
    }
    if first > tags.count / 2 {
      tags.removeFirst(first)
      removed += first
      first = 0
    }
  }

  mutating func advance(to offset: Int) { scanned = offset }

  mutating func finish(at offset: Int, isClosed closed: Bool) { (end, isClosed) = (offset, closed) }

  mutating func addStart(_ name: Span<UInt8>, at offset: Int) {
    let key = Self.key(name)
    counts[key, default: Count()].starts.append(removed + tags.count)
    tags.append(Tag(offset: offset, name: key, kind: .start))
    isInStartTag = true
  }

  /// Adds an end tag. It belongs to the last unmatched start tag with the same name.
  mutating func addEnd(_ name: Span<UInt8>, at offset: Int) {
    let key = Self.key(name)
    if let start = counts[key]?.starts.popLast(), start >= removed + first {
      tags[start - removed].kind = .matchedStart
      tags.append(Tag(offset: offset, name: key, kind: .end))
    } else {
      counts[key, default: Count()].freeEnds += 1
      tags.append(Tag(offset: offset, name: key, kind: .freeEnd))
    }
    isInStartTag = false
  }

  /// Ends the last start tag at a `>` or `<`. It has no separate end tag if it `isEmpty`.
  mutating func endTag(isEmpty: Bool) {
    if isEmpty, isInStartTag, let last = tags.indices.last, tags[last].kind == .start {
      tags[last].kind = .empty
      _ = counts[tags[last].name]?.starts.popLast()
    }
    isInStartTag = false
  }

  /// The name in lower case without its prefix: end tags in damaged documents match by it.
  private static func key(_ name: Span<UInt8>) -> UInt64 { name.hashIgnoringCase }
}
