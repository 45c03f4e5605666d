import TextOutput
internal import Markup

/// The use of a member in the outermost object.
enum JSONMemberUse {
  /// The member is not needed: it takes no memory, however long it is.
  case skip
  /// The member is delivered when it is complete.
  case whole
  /// The member is an array, and its elements are delivered one by one.
  case elements
}

/// Divides a JSON document, given in any pieces, into its outermost object's members.
///
/// Only one member, or one element from a delivered array, is in memory at a time. Inside it only brackets
/// and quotation marks matter, and each byte is read once, so the time is linear.
struct JSONSplitter {
  private enum State {
    case beforeRoot, beforeKey, inKey, beforeColon, beforeValue, inMember, betweenElements, inElement, done
  }

  /// The position within a list of members or elements.
  private enum Place {
    case first, behindPart, behindComma
  }

  /// True if something was not JSON and was skipped.
  private(set) var hasRepaired = false
  /// The count of skipped elements.
  private(set) var droppedElementCount = 0
  /// True if the outermost object has ended.
  var isComplete: Bool { state == .done }
  /// The memory for the part that is being read, in bytes.
  var pendingByteCount: Int { pending.count + key.count }

  private let partBytes: Int
  private let deepest: Int
  private var state = State.beforeRoot
  private var place = Place.first
  private var nesting = JSONNesting()
  private var isInString = false
  private var isEscaped = false
  /// The part of the separator between two elements with which the current string ends.
  private var boundary = Boundary.none
  /// True if the previous string ended like the separator between two elements; the next byte decides.
  private var isAtBoundary = false
  /// The start of the part within the current piece.
  private var partStart = 0
  /// True if the part is a number or a word, which ends only at a byte that does not belong to it.
  private var isWord = false
  /// True if the part is skipped: it is not needed, its brackets do not match, or it is too deep or too long.
  private var isSkipped = false
  /// True if the elements are the members of an object with meaningless keys, as PHP writes an array with
  /// gaps.
  private var hasKeys = false
  private var key: [UInt8] = []
  /// The part's bytes from earlier pieces.
  private var pending: [UInt8] = []

  init(limits: ParserLimits) {
    partBytes = limits.jsonPartBytes
    deepest = min(limits.jsonDepth, JSONNesting.deepest)
  }

  /// Reads a piece. The method must not be called again after it has thrown.
  mutating func read(_ text: Span<UInt8>, into feed: inout JSONFeedReader) throws(FeedError) {
    var index = 0
    while index < text.count {
      switch state {
      case .inKey, .inMember, .inElement:
        index = try readPart(text, from: index, into: &feed)
      case .done where hasRepaired:
        return
      default:
        let byte = text[index]
        // Two statements are needed, because an operand of `||` would throw any error.
        if byte.isXMLSpace {
          index += 1
        } else if try step(byte, for: &feed) {
          index += 1
        }
      }
    }
  }

  // MARK: Between parts

  /// Handles a byte between parts; returns false if the byte must be read again in the new state.
  private mutating func step(
    _ byte: UInt8, for feed: inout JSONFeedReader
  ) throws(FeedError) -> Bool {
    switch state {
    case .beforeRoot:
      guard byte == UInt8(ascii: "{") else { throw JSONFeedReader.noFeed }
      nesting.open(isObject: true)
      state = .beforeKey
    case .beforeColon:
      guard byte == UInt8(ascii: ":") else { return leaveMember() }
      state = .beforeValue
    case .beforeValue:
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return leaveMember()
      default: return beginValue(byte, of: &feed)
      }
    case .done: hasRepaired = true
    default: return stepInList(byte)
    }
    return true
  }

  /// Handles a byte before a key or an element, like ``step(_:for:)``.
  private mutating func stepInList(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","):
      if place != .behindPart { hasRepaired = true }
      place = .behindComma
    case UInt8(ascii: "]") where state == .beforeKey || hasKeys: hasRepaired = true
    case UInt8(ascii: "}"), UInt8(ascii: "]"): close(byte)
    default:
      if place == .behindPart { hasRepaired = true }
      if hasKeys, byte == UInt8(ascii: "\"") {
        begin(.inKey)
      } else if state == .betweenElements {
        begin(.inElement)
      } else if byte == UInt8(ascii: "\"") {
        begin(.inKey)
      } else {
        // A byte that does not begin a key is skipped like a value.
        hasRepaired = true
        begin(.inMember, isSkipped: true)
      }
      return false
    }
    return true
  }

  /// Ends the element array or the outermost object, or both if the array was never closed.
  private mutating func close(_ byte: UInt8) {
    let isObject = byte == UInt8(ascii: "}")
    let endsElements = state == .betweenElements && isObject == hasKeys
    if place == .behindComma || (state == .betweenElements && !endsElements) { hasRepaired = true }
    _ = nesting.close(isObject: isObject, above: 0)
    state = isObject && !endsElements ? .done : .beforeKey
    place = .behindPart
    hasKeys = false
  }

  /// Skips a member without a value.
  private mutating func leaveMember() -> Bool {
    hasRepaired = true
    state = hasKeys ? .betweenElements : .beforeKey
    place = .behindPart
    return false
  }

  private mutating func beginValue(_ byte: UInt8, of feed: inout JSONFeedReader) -> Bool {
    if hasKeys {
      begin(.inElement)
      return false
    }
    let use = feed.use(ofMember: key.span)
    guard use == .elements, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") else {
      begin(.inMember, isSkipped: use != .whole)
      return false
    }
    feed.beginElements()
    hasKeys = byte == UInt8(ascii: "{")
    if hasKeys { hasRepaired = true }
    nesting.open(isObject: hasKeys)
    state = .betweenElements
    place = .first
    return true
  }

  private mutating func begin(_ part: State, isSkipped skipped: Bool = false) {
    state = part
    isSkipped = skipped
    isWord = false
    pending.removeAll(keepingCapacity: true)
  }

  // MARK: Parts

  /// Reads more of a part; returns where the piece or the part ends.
  private mutating func readPart(
    _ text: Span<UInt8>, from start: Int, into feed: inout JSONFeedReader
  ) throws(FeedError) -> Int {
    partStart = start
    let found = endOfPart(text, from: start)
    let end = found ?? text.count
    checkSize(upTo: end)
    let isHere = found != nil && pending.isEmpty
    if !isSkipped, !isHere { pending.append(text.extracting(partStart..<end)) }
    guard found != nil else { return end }
    if isHere {
      try take(text.extracting(partStart..<end), into: &feed)
    } else {
      // The part is moved out of the structure, so that the call does not copy it.
      var part: [UInt8] = []
      swap(&part, &pending)
      defer { swap(&part, &pending) }
      try take(part.span, into: &feed)
    }
    return end
  }

  private mutating func take(
    _ part: Span<UInt8>, into feed: inout JSONFeedReader
  ) throws(FeedError) {
    switch state {
    case .inKey:
      key.removeAll(keepingCapacity: true)
      if !isSkipped {
        JSONMembers.append(
          part, 1..<max(1, part.count - 1), to: &key, character: JSONScalar.character)
      }
      state = .beforeColon
      return
    case .inMember:
      if !isSkipped { feed.takeMember(key.span, value: part) }
      state = .beforeKey
    default:
      if isSkipped { droppedElementCount += 1 } else { try feed.takeElement(part) }
      state = .betweenElements
    }
    place = .behindPart
  }

  /// Returns the current part's end; nil if the piece ends first.
  private mutating func endOfPart(_ text: Span<UInt8>, from start: Int) -> Int? {
    let base = state == .inElement || hasKeys ? 2 : 1
    var index = start
    while index < text.count {
      if isInString {
        guard let end = endOfString(text, from: index) else { return nil }
        index = end
        if isAtBoundary { continue }
        if nesting.depth == base { return index }
        continue
      }
      if isAtBoundary {
        isAtBoundary = false
        if text[index].isASCIILetter || text[index] == UInt8(ascii: "_") {
          beginNextElement(at: index)
          continue
        }
        if nesting.depth == base { return index }
      }
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""):
        if isWord { return index }
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if isWord { return index }
        nesting.open(isObject: byte == UInt8(ascii: "{"))
        if nesting.depth > deepest { spoil() }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if nesting.depth == base { return index }
        switch nesting.close(isObject: byte == UInt8(ascii: "}"), above: base) {
        case .matches: break
        case .closesMore, .stray: spoil()
        case .endsValue:
          spoil()
          return index
        }
        if nesting.depth == base { return index + 1 }
      case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
        if isWord { return index }
      default:
        if nesting.depth == base { isWord = true }
      }
      index += 1
    }
    return nil
  }

  /// Returns the current string's end; nil if the piece ends first.
  private mutating func endOfString(_ text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < text.count {
      if isEscaped {
        isEscaped = false
        index += 1
        continue
      }
      let stop = text.firstIndex(from: index) {
        $0.marks(of: UInt8(ascii: "\"")) | $0.marks(of: UInt8(ascii: "\\"))
      }
      if state == .inElement { boundary.read(text, index..<(stop ?? text.count)) }
      guard let stop else { return nil }
      index = stop + 1
      if text[stop] == UInt8(ascii: "\\") {
        isEscaped = true
        boundary = .none
      } else {
        isInString = false
        isAtBoundary = boundary == .brace
        boundary = .none
        return index
      }
    }
    return nil
  }

  /// Begins the next element after a missing or an extra quotation mark.
  ///
  /// The end of a string included this element's brace and its first key's first quotation mark. The element
  /// cannot be read.
  private mutating func beginNextElement(at index: Int) {
    checkSize(upTo: index)
    begin(.inElement)
    hasRepaired = true
    droppedElementCount += 1
    nesting = JSONNesting()
    for isObject in [true, hasKeys, true] { nesting.open(isObject: isObject) }
    pending.append(contentsOf: [UInt8(ascii: "{"), UInt8(ascii: "\"")])
    partStart = index
    isInString = true
  }

  /// Skips a part that is too long, and frees its memory.
  private mutating func checkSize(upTo end: Int) {
    if !isSkipped, pending.count + end - partStart > partBytes { spoil() }
  }

  /// Skips the rest of a part that cannot be read.
  private mutating func spoil() {
    hasRepaired = true
    isSkipped = true
    pending.removeAll(keepingCapacity: true)
  }
}
