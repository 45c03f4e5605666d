internal import Markup
internal import TextOutput

/// Builds blocks of text from a document's elements.
struct TextBuilder: HTMLWriter {
  /// A list that is being read.
  struct List {
    /// The next item's number; nil for a list with bullets.
    var number: Int?
    var step = 1
    var style = ListNumber.decimal
  }

  /// A list item's bullet or number.
  struct Marker {
    var text: String
    /// The number of open quotations around the item.
    var quotations: Int
    /// The level of the item's text.
    var level: Int
  }

  var blocks: [HTMLText.Block] = []
  private var links: [String] = []
  private var numbers: [String: Int] = [:]

  /// The current block and its text so far.
  var block = HTMLText.Block()
  var text: [UInt8] = []
  /// True if a space separates the text so far from the next word.
  var hasSpace = false
  /// True if an empty line separates the next block from the previous one.
  var isApart = false
  /// The marker for a list item that has no text yet.
  var marker: Marker?
  var preformatted = 0
  /// The list level at each open quotation, from the outermost one inward.
  var quotations: [Int] = []
  /// The number of open quotations inside a line.
  private var quotes = 0
  /// The number of open descriptions in description lists.
  var descriptions = 0
  var lists: [List] = []
  /// The address of each open link; nil for an anchor without an address.
  private var anchors: [HTMLTree.Slice?] = []
  /// The number of open elements for deleted text.
  var deletions = 0
  private(set) var hasDeletions = false
  /// The text to write directly before the next word.
  var pending: [UInt8] = []
  /// The open table's rows, if it is written in columns.
  var rows: TableRows?
  /// The signs before the open superscripts and subscripts.
  var scripts: [ScriptSign] = []
  /// The text length after a superscript or subscript without parentheses.
  var endOfScript: Int?
  var isFallback = false
  /// True for plain text: its spaces are kept.
  private let isPlainText: Bool

  init(isPlainText: Bool) { self.isPlainText = isPlainText }

  mutating func finish() -> ([HTMLText.Block], [String]) {
    endBlock()
    return (blocks, links)
  }

  // MARK: Nodes

  mutating func take(_ slice: HTMLTree.Slice, of tree: HTMLTree) {
    let bytes = tree.text.span.extracting(slice.range)
    if isPlainText {
      takeLine(bytes)
    } else if preformatted == 0, InvisiblePadding.isPart(of: bytes) {
      InvisiblePadding.split(bytes) { append($0) }
    } else {
      append(bytes)
    }
  }

  /// Takes a line of plain text, with its indentation also before continued lines.
  private mutating func takeLine(_ bytes: Span<UInt8>) {
    var (start, end, indent) = (0, bytes.count, 0)
    while start < end, bytes[start].isHTMLSpace {
      switch bytes[start] {
      case UInt8(ascii: " "): indent += 1
      case UInt8(ascii: "\t"): indent += 4
      default: indent = 0
      }
      start += 1
    }
    while end > start, bytes[end - 1].isHTMLSpace { end -= 1 }
    let line = bytes.extracting(start..<end)
    guard VisibleText.isPart(of: line) else { return }
    setMarker(String(repeating: " ", count: min(indent, 40)))
    beginBlock()
    appendKeepingTabs(line)
  }

  mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
    switch tree.meaning(of: element, tag) {
    case .hidden: return false
    case .text(let slice):
      append(tree.text.span.extracting(slice.range))
      return false
    case .checkbox(let isChecked):
      append(isChecked ? "[x]" : "[ ]")
      hasSpace = true
      return false
    case .fallback(let slice):
      visit(fallback: slice, of: tree)
      return false
    case .reference(let reference, let showsContent):
      add(reference, of: tree)
      return showsContent
    case .content:
      start(element, tag, of: tree)
      // The words in a drawing are separate.
      if tag == .other, tree.nodes[Int(element)].isText { hasSpace = true }
      return true
    }
  }

  mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) {
    if let signs = tree.mathSigns(of: element), !signs.closing.isEmpty {
      hasSpace = false
      append(signs.closing)
    }
    switch tag {
    case .a:
      if let slice = anchors.popLast() ?? nil, let number = number(of: string(slice, tree)) {
        // A space at the end of the link belongs after its number.
        let space = hasSpace
        hasSpace = false
        append("[\(number)]")
        hasSpace = space
      }
    case .q:
      append(quotes % 2 == 1 ? "”" : "’")
      quotes -= 1
    case .rt: append(")")
    case .del, .s, .strike: endDeletion()
    case .sup, .sub: endScript()
    case .td, .th: endCell(element, of: tree)
    case .caption where rows != nil: endCaption()
    default: break
    }
    let isApart = Self.apart.contains(tag)
    if isApart || Self.lines.contains(tag) { endBlock() }
    switch tag {
    case .ul, .ol, .menu, .dir: _ = lists.popLast()
    case .li: marker = nil
    case .dd: descriptions -= 1
    case .blockquote: _ = quotations.popLast()
    case .pre, .listing, .plaintext, .xmp: preformatted -= 1
    case .table: endTable()
    default: break
    }
    if isApart, lists.isEmpty { self.isApart = true }
  }

  private mutating func start(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) {
    if Self.apart.contains(tag) {
      endBlock()
      let isInList = lists.count > 0 && (tag == .ul || tag == .ol || tag == .p)
      if !isInList { isApart = true }
    } else if Self.lines.contains(tag) {
      endBlock()
    }
    if let signs = tree.mathSigns(of: element) {
      if signs.joins { hasSpace = false }
      append(signs.opening)
      if signs.opening.last != " " { hasSpace = false }
    }
    switch tag {
    case .br: breakLine()
    case .hr: addRule()
    case .ul, .menu, .dir: lists.append(List(number: nil))
    case .ol: startList(element, of: tree)
    case .li: startItem(element, of: tree)
    case .dd: descriptions += 1
    case .blockquote: quotations.append(level)
    case .pre, .listing, .plaintext, .xmp: preformatted += 1
    case .table: if rows == nil, tree.isTableOfTexts(element) { rows = TableRows() }
    case .tr: rows?.beginRow()
    case .td, .th: startCell()
    case .q:
      quotes += 1
      append(quotes % 2 == 1 ? "“" : "‘")
      hasSpace = false
    case .a: anchors.append(tree.slice(of: .href, at: element))
    case .rt: append("(")
    case .del, .s, .strike:
      deletions += 1
      hasDeletions = true
      if deletions == 1 { pending += Self.deletion }
    case .sup, .sub: startScript(element, tag, of: tree)
    default: break
    }
  }

  private func string(_ slice: HTMLTree.Slice, _ tree: HTMLTree) -> String {
    String(decoding: tree.text[slice.range], as: UTF8.self)
  }

  // MARK: Lists

  private mutating func startList(_ element: HTMLTree.Index, of tree: HTMLTree) {
    var list = List(number: 1)
    let start = tree.number(.start, at: element)
    if tree.has(.reversed, at: element) {
      (list.number, list.step) = (start ?? tree.numberOfItems(in: element), -1)
    } else {
      list.number = start ?? 1
    }
    list.style = tree.value(of: .type, at: element).flatMap(ListNumber.init) ?? .decimal
    lists.append(list)
  }

  private mutating func startItem(_ element: HTMLTree.Index, of tree: HTMLTree) {
    guard let last = lists.indices.last else {
      setMarker("• ")
      return
    }
    let indent = indentation(from: quotations.last ?? 0, to: level - 1)
    if let next = lists[last].number {
      let number = tree.number(.value, at: element) ?? next
      setMarker(indent + lists[last].style.text(of: number) + ". ")
      lists[last].number = number + lists[last].step
    } else {
      setMarker(indent + "• ")
    }
  }

  private mutating func setMarker(_ text: String) {
    marker = Marker(text: text, quotations: quotations.count, level: level)
  }

  // MARK: Tables

  private mutating func startCell() {
    if rows != nil {
      hasSpace = false
    } else if !text.isEmpty {
      hasSpace = true
      append("|")
      hasSpace = true
    }
  }

  private mutating func endCell(_ element: HTMLTree.Index, of tree: HTMLTree) {
    guard rows != nil else { return }
    func span(_ name: HTMLAttribute) -> Int { tree.number(name, at: element) ?? 1 }
    // Writing directions set in a cell end with it.
    let cell = takeText().withPairedIsolates
    rows?.append(cell, columns: span(.colspan), rows: span(.rowspan))
    hasSpace = false
  }

  private mutating func endCaption() {
    let caption = takeText()
    guard !caption.isEmpty else { return }
    // A separate block, above the rows.
    let rows = rows
    self.rows = nil
    addBlock { $0.text = caption }
    self.rows = rows
  }

  private mutating func endTable() {
    guard var rows else { return }
    let rest = takeText()
    self.rows = nil
    if !rest.isEmpty {
      rows.beginRow()
      rows.append(rest)
    }
    let cells = rows.finish()
    if !cells.isEmpty { addBlock { $0.rows = cells } }
  }

  private mutating func addBlock(_ change: (inout HTMLText.Block) -> Void) {
    beginBlock()
    change(&block)
    blocks.append(block)
    block = HTMLText.Block()
  }

  // MARK: References

  private mutating func add(_ reference: HTMLTree.Reference, of tree: HTMLTree) {
    let name =
      switch reference.kind {
      case .img: "image"
      case .iframe, .frame: "frame"
      case .object, .applet: "file"
      case .area: "link"
      default: reference.kind.name
      }
    let words = reference.words.map { Self.collapsed(string($0, tree)) }.joined(separator: " – ")
    let number = reference.address.flatMap { self.number(of: string($0, tree)) }
    append((words.isEmpty ? "[\(name)]" : "[\(name): \(words)]") + (number.map { "[\($0)]" } ?? ""))
  }

  private mutating func addRule() {
    endBlock()
    guard rows == nil else { return }
    let indent = marks(of: quotations[...])
    blocks.append(HTMLText.Block(lead: indent, indent: indent, text: "* * *", isApart: true))
    isApart = true
  }

  /// Returns the number that refers to an address in the text; nil for an address inside the document, or for
  /// one that is not a location.
  mutating func number(of address: String) -> Int? {
    let address = Self.address(address)
    let isInside = address.isEmpty || address.hasPrefix("#")
    let runs = ["javascript:", "data:", "vbscript:"].contains { address.lowercased().hasPrefix($0) }
    guard !isInside, !runs else { return nil }
    if let known = numbers[address] { return known }
    links.append(address)
    numbers[address] = links.count
    return links.count
  }

  /// Block elements with an empty line before and after them.
  private static let apart: TagSet = [
    .p, .h1, .h2, .h3, .h4, .h5, .h6, .ul, .ol, .menu, .dir, .dl, .blockquote, .pre, .listing, .plaintext,
    .xmp,
    .table, .figure, .hr, .fieldset, .details,
  ]
  /// Block elements that begin a new line.
  private static let lines: TagSet = [
    .div, .section, .article, .header, .footer, .main, .aside, .nav, .address, .li, .dt, .dd, .tr, .caption,
    .figcaption, .form, .summary, .center, .body, .thead, .tbody, .tfoot, .hgroup, .search, .legend, .option,
    .optgroup, .dialog,
  ]
}
