internal import Markup
internal import TextOutput

/// The words of a text, their lines and blocks.
extension TextBuilder {
  /// The number of open lists and descriptions.
  var level: Int { lists.count + descriptions }

  /// Returns the indentation between two list levels; deeper levels have no room.
  func indentation(from start: Int, to end: Int) -> String {
    String(repeating: "  ", count: max(0, min(end, 12) - min(start, 12)))
  }

  /// Returns quotation marks, each indented for the lists around it.
  func marks(of quotations: ArraySlice<Int>, from level: Int = 0) -> String {
    var (marks, level) = ("", level)
    for quotation in quotations where marks.utf8.count < Self.longestMarks {
      marks += indentation(from: level, to: quotation) + "> "
      level = quotation
    }
    return marks
  }

  mutating func append(_ text: String) { append(Array(text.utf8).span) }

  mutating func append(_ bytes: Span<UInt8>) {
    if preformatted > 0, rows == nil {
      appendLines(bytes)
      return
    }
    var index = 0
    while index < bytes.count {
      if bytes[index].isHTMLSpace {
        hasSpace = true
        index += 1
        continue
      }
      let start = index
      while index < bytes.count, !bytes[index].isHTMLSpace { index += 1 }
      appendWord(bytes.extracting(start..<index))
    }
  }

  private mutating func appendWord(_ word: Span<UInt8>) {
    guard VisibleText.isPart(of: word) else { return }
    beginBlock()
    if hasSpace || extendsScript(word[0]), !text.isEmpty { text.append(UInt8(ascii: " ")) }
    hasSpace = false
    appendPending()
    VisibleText.append(word, to: &text)
  }

  private mutating func appendLines(_ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    beginBlock()
    block.isPreformatted = true
    appendPending()
    appendKeepingTabs(bytes)
  }

  /// Appends text in which a tab is four spaces.
  mutating func appendKeepingTabs(_ bytes: Span<UInt8>) {
    var copied = 0
    while let tab = bytes.firstIndex(of: UInt8(ascii: "\t"), from: copied) {
      VisibleText.append(bytes.extracting(copied..<tab), to: &text)
      text += [0x20, 0x20, 0x20, 0x20]
      copied = tab + 1
    }
    VisibleText.append(bytes.extracting(copied..<bytes.count), to: &text)
  }

  private mutating func appendPending() {
    guard !pending.isEmpty else { return }
    text += pending
    pending = []
  }

  /// Returns the text so far, and begins a new one. Deleted text ends with it and begins again after it.
  mutating func takeText() -> String {
    guard !text.isEmpty else { return "" }
    endOfScript = nil
    if deletions > 0, pending.isEmpty {
      text += Self.deletion
      pending = Self.deletion
    }
    defer { text.removeAll(keepingCapacity: true) }
    return String(decoding: text, as: UTF8.self)
  }

  mutating func beginBlock() {
    guard text.isEmpty, rows == nil else { return }
    block.isApart = isApart
    isApart = false
    guard let marker = marker.take() else {
      block.indent = marks(of: quotations[...]) + indentation(from: quotations.last ?? 0, to: level)
      block.lead = block.indent
      return
    }
    let outer = marks(of: quotations.prefix(marker.quotations))
    let inner = marks(of: quotations.dropFirst(marker.quotations), from: marker.level)
    block.lead = outer + marker.text + inner
    block.indent = outer + String(repeating: " ", count: DisplayWidth.columns(of: marker.text)) + inner
  }

  /// Ends a line inside a block, like `br`.
  mutating func breakLine() {
    if rows != nil {
      hasSpace = true
    } else if preformatted > 0 {
      if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
    } else if text.isEmpty {
      isApart = true
    } else {
      endBlock()
    }
  }

  mutating func endBlock() {
    if rows != nil {
      hasSpace = true
      return
    }
    hasSpace = false
    if block.isPreformatted {
      while text.last == UInt8(ascii: "\n") { text.removeLast() }
      if text.first == UInt8(ascii: "\n") { text.removeFirst() }
    }
    block.text = takeText()
    // Some publishers write lines of space to keep others apart.
    let isBlank = block.text.allSatisfy { $0 == " " || $0 == "\u{A0}" }
    if block.isPreformatted ? !block.text.isEmpty : !isBlank { blocks.append(block) }
    block = HTMLText.Block()
  }

  private static func isSpace(_ character: Character) -> Bool {
    character == " " || character == "\n" || character == "\t" || character == "\r" || character == "\r\n"
      || character == "\u{0C}"
  }

  static func collapsed(_ text: String) -> String {
    text.split(whereSeparator: isSpace).joined(separator: " ")
  }

  /// Returns an address on one line. Characters that move the cursor or change the writing direction are
  /// percent-encoded; removing them would change the link's target.
  static func address(_ text: String) -> String {
    let line =
      LinkAddress.corrected(Array(text.utf8).span).map { String(decoding: $0, as: UTF8.self) } ?? text
    guard line.unicodeScalars.contains(where: VisibleText.isControl) else { return line }
    let bytes = line.unicodeScalars.flatMap { scalar in
      let isControl = VisibleText.isControl(scalar)
      return String(scalar).utf8.percentEncoded { _ in !isControl }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Parts of a line

  mutating func endDeletion() {
    deletions -= 1
    guard deletions == 0 else { return }
    if pending.suffix(2) == Self.deletion[...] { pending.removeLast(2) } else { text += Self.deletion }
  }

  /// Writes a superscript as `10^-3` and a subscript as `H_2O`.
  mutating func startScript(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) {
    let content = tree.beginning(of: element)
    let follows = !hasSpace && text.last.map { !$0.isHTMLSpace } == true
    let sign = follows ? ScriptSign(content, isSuperscript: tag == .sup, after: text.last ?? 0) : .none
    if sign != .none { text.append(UInt8(ascii: tag == .sup ? "^" : "_")) }
    if sign == .parentheses { text.append(UInt8(ascii: "(")) }
    scripts.append(sign)
  }

  mutating func endScript() {
    switch scripts.popLast() {
    case .parentheses: append(")")
    case .sign: endOfScript = text.count
    default: break
    }
  }

  /// Returns whether text after a superscript or subscript would look like its continuation, as in 10²3.
  private func extendsScript(_ next: UInt8) -> Bool {
    guard endOfScript == text.count, let last = text.last else { return false }
    return next.isASCIIDigit || last.isASCIILetter && next.isASCIILetter
  }

  /// The width of quotation marks, in columns, after which further ones have no room.
  private static let longestMarks = 16

  static let deletion = Array(HTMLText.deletion.utf8)
}
