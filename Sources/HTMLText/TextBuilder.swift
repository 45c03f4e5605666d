/// Builds blocks of text from the elements of a document.
struct TextBuilder {
  private var blocks: [HTMLText.Block] = []
  private var links: [String] = []
  private var numbers: [String: Int] = [:]

  /// The current block, to which text is appended.
  private var block = HTMLText.Block()
  /// True if a space separates the text so far from the next word.
  private var hasSpace = false
  /// True if an empty line separates the next block from the previous one.
  private var isApart = false
  /// The marker of a list item that has no text yet.
  private var marker: String?
  /// The nesting depth inside an invisible element; 0 outside of invisible elements.
  private var hidden = 0
  private var preformatted = 0
  private var quotations = 0
  /// The number of the next item of each open list; nil for a list with bullets.
  private var lists: [Int?] = []
  /// The address of each open link; nil for an anchor without an address.
  private var anchors: [String?] = []

  mutating func take(_ event: HTMLEvent) {
    switch event {
    case .start(let name, let attributes): start(name, attributes)
    case .end(let name): end(name)
    case .text(let text):
      if hidden == 0 { append(text) }
    }
  }

  mutating func finish() -> ([HTMLText.Block], [String]) {
    endBlock()
    return (blocks, links)
  }

  // MARK: Elements

  private mutating func start(_ name: String, _ attributes: [String: String]) {
    if Self.unseen.contains(name) || attributes["hidden"] != nil || hidden > 0 {
      hidden += 1
      return
    }
    if Self.apart.contains(name) {
      endBlock()
      if !(lists.count > 0 && (name == "ul" || name == "ol" || name == "p")) { isApart = true }
    } else if Self.lines.contains(name) {
      endBlock()
    }
    switch name {
    case "br": breakLine()
    case "hr": addRule()
    case "ul", "menu", "dir": lists.append(nil)
    case "ol": lists.append(attributes["start"].flatMap { Int($0) } ?? 1)
    case "li": startItem()
    case "blockquote": quotations += 1
    case "pre", "listing", "plaintext": preformatted += 1
    case "td", "th":
      if !block.text.isEmpty {
        appendWord("|", after: true)
        hasSpace = true
      }
    case "q": append("“")
    case "a": anchors.append(attributes["href"])
    case "img": addImage(attributes)
    case "iframe", "video", "audio", "embed", "source":
      if let address = attributes["src"] {
        addReference(to: address, "[\(name == "iframe" ? "frame" : name)]")
      }
    default: break
    }
  }

  private mutating func end(_ name: String) {
    if hidden > 0 {
      hidden -= 1
      return
    }
    switch name {
    case "a":
      if let address = anchors.popLast() ?? nil, let number = number(of: address) { append("[\(number)]") }
    case "q": append("”")
    default: break
    }
    let isApart = Self.apart.contains(name)
    if isApart || Self.lines.contains(name) { endBlock() }
    switch name {
    case "ul", "ol", "menu", "dir": _ = lists.popLast()
    case "li": marker = nil
    case "blockquote": quotations = max(0, quotations - 1)
    case "pre", "listing", "plaintext": preformatted = max(0, preformatted - 1)
    default: break
    }
    if isApart, lists.isEmpty { self.isApart = true }
  }

  private mutating func startItem() {
    guard let last = lists.indices.last else {
      marker = "• "
      return
    }
    let indent = String(repeating: "  ", count: lists.count - 1)
    if let number = lists[last] {
      marker = indent + "\(number). "
      lists[last] = number &+ 1
    } else {
      marker = indent + "• "
    }
  }

  private mutating func addImage(_ attributes: [String: String]) {
    guard !attributes.isTrackingPixel, let address = attributes["src"] else { return }
    let label = attributes.description(Self.collapsed).map { "[image: \($0)]" }
    addReference(to: address, label ?? "[image]")
  }

  private mutating func addReference(to address: String, _ label: String) {
    append(label + (number(of: address).map { "[\($0)]" } ?? ""))
  }

  private mutating func addRule() {
    endBlock()
    blocks.append(HTMLText.Block(indent: indent, text: "* * *", isApart: true))
    isApart = true
  }

  /// Returns the number that refers to an address in the text; nil for an address inside the document, or one that is
  /// not a location.
  private mutating func number(of address: String) -> Int? {
    let address = Self.address(address)
    let isInside = address.isEmpty || address.hasPrefix("#")
    let runs = ["javascript:", "data:", "vbscript:"].contains { address.lowercased().hasPrefix($0) }
    guard !isInside, !runs else { return nil }
    if let known = numbers[address] { return known }
    links.append(address)
    numbers[address] = links.count
    return links.count
  }

  // MARK: Text

  private var indent: String { String(repeating: "> ", count: min(quotations, 8)) }

  private mutating func append(_ text: String) {
    if preformatted > 0 {
      beginBlock()
      block.isPreformatted = true
      block.text += Self.keptLines(text)
      return
    }
    if text.first.map(Self.isSpace) == true { hasSpace = true }
    for word in text.split(whereSeparator: Self.isSpace) {
      appendWord(Self.visible(word), after: hasSpace)
      hasSpace = true
    }
    hasSpace = text.last.map(Self.isSpace) ?? hasSpace
  }

  private mutating func appendWord(_ word: String, after space: Bool) {
    guard !word.isEmpty else { return }
    beginBlock()
    if space, !block.text.isEmpty { block.text += " " }
    block.text += word
  }

  private mutating func beginBlock() {
    guard block.text.isEmpty else { return }
    block.indent = indent
    block.isApart = isApart
    block.marker = marker ?? String(repeating: "  ", count: lists.count)
    marker = nil
    isApart = false
  }

  /// Ends a line inside a block, like `br`.
  private mutating func breakLine() {
    if preformatted > 0 {
      block.text += "\n"
    } else if block.text.isEmpty {
      isApart = true
    } else {
      endBlock()
    }
  }

  private mutating func endBlock() {
    hasSpace = false
    defer { block = HTMLText.Block() }
    if block.isPreformatted {
      while block.text.last == "\n" { block.text.removeLast() }
      if block.text.first == "\n" { block.text.removeFirst() }
    }
    if !block.text.isEmpty { blocks.append(block) }
  }

  private static func isSpace(_ character: Character) -> Bool {
    character == " " || character == "\n" || character == "\t" || character == "\r" || character == "\r\n"
      || character == "\u{0C}"
  }

  private static func collapsed(_ text: String) -> String {
    visible(text.split(whereSeparator: isSpace).joined(separator: " ")[...])
  }

  /// Returns an address on one line. Characters that move the cursor or change the writing direction are
  /// percent-encoded; removing them would change the target of the link.
  private static func address(_ text: String) -> String {
    let line = text.split(whereSeparator: isSpace).joined(separator: " ")
    guard line.unicodeScalars.contains(where: isControl) else { return line }
    return line.unicodeScalars.map { scalar in
      guard isControl(scalar) else { return String(scalar) }
      return String(scalar).utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        .joined()
    }.joined()
  }

  /// Removes characters that move the cursor or change the writing direction.
  private static func visible(_ text: Substring) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return String(text) }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
  }

  private static func keptLines(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map { visible($0.replacing("\t", with: "    ")[...]) }.joined(separator: "\n")
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      true
    default: false
    }
  }

  private static let unseen = Set(
    names: "script style head title template noscript object svg math select datalist")
  /// Block elements with an empty line before and after them.
  private static let apart = Set(
    names: """
      p h1 h2 h3 h4 h5 h6 ul ol menu dir dl blockquote pre listing plaintext table figure hr fieldset details
      """)
  /// Block elements that begin a new line.
  private static let lines = Set(
    names: """
      div section article header footer main aside nav address li dt dd tr caption figcaption form summary center body
      thead tbody tfoot
      """)
}
