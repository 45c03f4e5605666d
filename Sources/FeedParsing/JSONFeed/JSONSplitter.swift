internal import Markup

/// What is to become of a member of the outermost object.
enum JSONMemberUse {
  /// Nobody wants it: it takes no memory, however long it is.
  case skip
  /// It is handed over when it is complete.
  case whole
  /// It is an array whose elements are handed over one by one.
  case elements
}

/// Takes the parts of a JSON document in their order. What it is given is valid during the call.
protocol JSONPartHandler {
  /// Says what is to become of the member that comes.
  mutating func use(ofMember key: Span<UInt8>) -> JSONMemberUse
  /// Takes a member's value. Its brackets are balanced, but it may be no JSON.
  mutating func takeMember(_ key: Span<UInt8>, value: Span<UInt8>) throws(FeedError)
  /// Takes notice of an array whose elements are handed over.
  mutating func beginElements()
  /// Takes an element of the member that was wanted so.
  mutating func takeElement(_ value: Span<UInt8>) throws(FeedError)
}

/// Cuts a JSON document, given in any pieces, into the members of its outermost object.
///
/// Only one member, or one element of an array of interest, is in memory at a time. Of their insides nothing but
/// brackets and quotation marks is looked at, each byte once, so that the time is linear in what was read.
struct JSONSplitter {
  private enum State {
    case beforeRoot, beforeKey, inKey, beforeColon, beforeValue, inMember, betweenElements, inElement, done
  }

  /// Where in a list of members or elements.
  private enum Place {
    case first, behindPart, behindComma
  }

  /// Whether something was no JSON and was passed over.
  private(set) var hasRepaired = false
  /// How many elements were passed over.
  private(set) var droppedElementCount = 0
  /// Whether the outermost object has ended.
  var isComplete: Bool { state == .done }
  /// How much memory the part takes that is being read.
  var pendingByteCount: Int { pending.count + key.count }

  private let partBytes: Int
  private let deepest: Int
  private var state = State.beforeRoot
  private var place = Place.first
  private var nesting = JSONNesting()
  private var isInString = false
  private var isEscaped = false
  /// How much of the end of an element and the beginning of the next one the string ends with that is being read.
  private var boundary = Boundary.none
  /// The string that has ended looks like what stands between two elements; what follows tells whether it does.
  private var isAtBoundary = false
  /// Where the part begins in the piece that is read.
  private var partStart = 0
  /// The part is a number or a word, which only what follows it ends.
  private var isWord = false
  /// The part is of no use: nobody wants it, or its brackets cross, or it is too deep or too long.
  private var isSkipped = false
  /// Whether the elements stand in an object, each under a key that says nothing, as PHP writes an array with gaps.
  private var hasKeys = false
  private var key: [UInt8] = []
  /// What came of the part in earlier pieces.
  private var pending: [UInt8] = []

  init(limits: ParserLimits) {
    partBytes = limits.jsonPartBytes
    deepest = min(limits.jsonDepth, JSONNesting.deepest)
  }

  /// Reads a piece. After it has thrown, it must not be called again.
  mutating func read(_ text: Span<UInt8>, into parts: inout some JSONPartHandler) throws(FeedError) {
    var index = 0
    while index < text.count {
      switch state {
      case .inKey, .inMember, .inElement:
        index = try readPart(text, from: index, into: &parts)
      case .done where hasRepaired:
        return
      default:
        let byte = text[index]
        // Written out, because an operand of `||` would throw any error.
        if byte.isXMLSpace {
          index += 1
        } else if try step(byte, for: &parts) {
          index += 1
        }
      }
    }
  }

  // MARK: Between parts

  /// Takes a byte between parts; false when it is to be looked at again in the state that it led to.
  private mutating func step(
    _ byte: UInt8, for parts: inout some JSONPartHandler
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
      default: return beginValue(byte, of: &parts)
      }
    case .done: hasRepaired = true
    default: return stepInList(byte)
    }
    return true
  }

  /// As ``step(_:for:)`` before a key or an element.
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
        // No key: passed over as a value would be.
        hasRepaired = true
        begin(.inMember, isSkipped: true)
      }
      return false
    }
    return true
  }

  /// Ends the array of elements or the outermost object, or both where the array was never closed.
  private mutating func close(_ byte: UInt8) {
    let isObject = byte == UInt8(ascii: "}")
    let endsElements = state == .betweenElements && isObject == hasKeys
    if place == .behindComma || (state == .betweenElements && !endsElements) { hasRepaired = true }
    _ = nesting.close(isObject: isObject, above: 0)
    state = isObject && !endsElements ? .done : .beforeKey
    place = .behindPart
    hasKeys = false
  }

  /// Passes over a member that has no value.
  private mutating func leaveMember() -> Bool {
    hasRepaired = true
    state = hasKeys ? .betweenElements : .beforeKey
    place = .behindPart
    return false
  }

  private mutating func beginValue(_ byte: UInt8, of parts: inout some JSONPartHandler) -> Bool {
    if hasKeys {
      begin(.inElement)
      return false
    }
    let use = parts.use(ofMember: key.span)
    guard use == .elements, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") else {
      begin(.inMember, isSkipped: use != .whole)
      return false
    }
    parts.beginElements()
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

  /// Goes on with a part; gives where the piece or the part ends.
  private mutating func readPart(
    _ text: Span<UInt8>, from start: Int, into parts: inout some JSONPartHandler
  ) throws(FeedError) -> Int {
    partStart = start
    let found = endOfPart(text, from: start)
    let end = found ?? text.count
    checkSize(upTo: end)
    let isHere = found != nil && pending.isEmpty
    if !isSkipped, !isHere { pending.append(text.extracting(partStart..<end)) }
    guard found != nil else { return end }
    if isHere {
      try take(text.extracting(partStart..<end), into: &parts)
    } else {
      // Out of the structure, so that the part is not copied for the call.
      var part: [UInt8] = []
      swap(&part, &pending)
      defer { swap(&part, &pending) }
      try take(part.span, into: &parts)
    }
    return end
  }

  private mutating func take(
    _ part: Span<UInt8>, into parts: inout some JSONPartHandler
  ) throws(FeedError) {
    switch state {
    case .inKey:
      key.removeAll(keepingCapacity: true)
      if !isSkipped { _ = JSONString.append(part, at: 0, to: &key) }
      state = .beforeColon
      return
    case .inMember:
      if !isSkipped { try parts.takeMember(key.span, value: part) }
      state = .beforeKey
    default:
      if isSkipped { droppedElementCount += 1 } else { try parts.takeElement(part) }
      state = .betweenElements
    }
    place = .behindPart
  }

  /// Where the part ends that is being read; nil when the piece ends first.
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

  /// Where the string ends that is being read; nil when the piece ends first.
  private mutating func endOfString(_ text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < text.count {
      if isEscaped {
        isEscaped = false
        index += 1
        continue
      }
      let stop = JSONString.stop(in: text, from: index)
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

  /// Begins the next element: its brace and the first quotation mark of its first key were taken for the end of a
  /// string, because a quotation mark too many or too few came before. The element with it cannot be read.
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

  /// A part that is too long is left out, and takes no more memory.
  private mutating func checkSize(upTo end: Int) {
    if !isSkipped, pending.count + end - partStart > partBytes { spoil() }
  }

  /// The part cannot be read: the rest of it is passed over.
  private mutating func spoil() {
    hasRepaired = true
    isSkipped = true
    pending.removeAll(keepingCapacity: true)
  }
}
