/// Builds a document's tree from its tags and texts (HTML Standard, section 13.2.6), with scripts turned off.
///
/// Depth, element copies and the list of formatting elements are bounded, as in browsers, so that time and
/// memory grow linearly with the document. The builder cannot be copied: a method passed as a closure would
/// copy it.
struct HTMLTreeBuilder: ~Copyable {
  typealias Index = HTMLTree.Index
  typealias Tag = HTMLTokenizer.Tag
  typealias Slice = HTMLTree.Slice

  enum Mode {
    case initial, beforeHTML, beforeHead, inHead, afterHead, inBody, text, inTable, inTableText, inCaption
    case inColumnGroup, inTableBody, inRow, inCell, inSelect, inSelectInTable, inTemplate, afterBody,
      inFrameset
    case afterFrameset
  }

  /// The result of processing a token.
  enum Step {
    case done
    /// The token is processed again in the new mode.
    case again
  }

  /// The maximum number of open elements. Beyond it, an element follows the deepest open one instead of being
  /// inside.
  static let deepest = 512
  var tree = HTMLTree()
  var tokenizer = HTMLTokenizer(size: 0)
  /// The open elements, from the outermost one.
  var open: [Index] = []
  var formatting: [Formatting] = []
  var mode = Mode.initial
  /// The mode to return to from ``Mode/text`` and ``Mode/inTableText``.
  var returnMode = Mode.initial
  var templateModes: [Mode] = []
  var head: Index = -1
  var form: Index = -1
  /// True while text and elements that do not belong into a table are put before it.
  var isFostering = false
  /// True while a frameset may replace the body.
  var allowsFrameset = true
  /// True for a document without an HTML document type, in which a table does not end a paragraph.
  var isQuirky = true
  /// The texts directly inside a table.
  var tableText: [Slice] = []
  /// The number of elements that may still be copied.
  var copies = 0

  mutating func build(_ source: Span<UInt8>) {
    tokenizer = HTMLTokenizer(size: source.count)
    tree.nodes.reserveCapacity(16 + source.count / 24)
    copies = 64 + source.count / 4
    while true {
      tokenizer.isForeign = isInForeign
      tokenizer.keepsNulls = tokenizer.isForeign && isForeign(.text(Slice(start: 0, count: 0)))
      switch tokenizer.next(source) {
      case .start(let tag): take(.start(tag))
      case .end(let tag): take(.end(tag))
      case .text(let slice): take(.text(slice))
      case .doctype(let isHTML):
        if mode == .initial { (isQuirky, mode) = (!isHTML, .beforeHTML) }
        if mode == .inTableText { endTableText() }
      case .endOfDocument:
        take(.endOfDocument)
        return
      }
    }
  }

  mutating func finish() -> HTMLTree {
    tree.text = tokenizer.text
    tree.attributes = tokenizer.attributes
    return tree
  }

  private mutating func take(_ token: HTMLTokenizer.Token) {
    // Each repetition closes something or advances the mode.
    while step(token) == .again {}
  }

  private mutating func step(_ token: HTMLTokenizer.Token) -> Step {
    if isForeign(token) { return inForeignContent(token) }
    return inMode(mode, token)
  }

  mutating func inMode(_ mode: Mode, _ token: HTMLTokenizer.Token) -> Step {
    switch mode {
    case .initial: return move(to: .beforeHTML)
    case .beforeHTML: return beforeHTML(token)
    case .beforeHead: return beforeHead(token)
    case .inHead: return inHead(token)
    case .afterHead: return afterHead(token)
    case .inBody: return inBody(token)
    case .text: return inText(token)
    case .inTable: return inTable(token)
    case .inTableText: return inTableText(token)
    case .inCaption: return inCaption(token)
    case .inColumnGroup: return inColumnGroup(token)
    case .inTableBody: return inTableBody(token)
    case .inRow: return inRow(token)
    case .inCell: return inCell(token)
    case .inSelect: return inSelect(token)
    case .inSelectInTable: return inSelectInTable(token)
    case .inTemplate: return inTemplate(token)
    case .afterBody: return afterBody(token)
    case .inFrameset: return inFrameset(token)
    case .afterFrameset: return afterFrameset(token)
    }
  }

  mutating func move(to mode: Mode) -> Step {
    self.mode = mode
    return .again
  }

  // MARK: Open elements

  /// Closes the current element.
  mutating func pop() { _ = open.popLast() }

  var current: Index? { open.last }

  func tag(of node: Index) -> HTMLTag? {
    let found = tree.nodes[Int(node)]
    return found.namespace == .html ? found.tag : nil
  }

  /// The current element's tag; nil if it does not belong to HTML.
  var currentTag: HTMLTag? {
    guard let current = open.last else { return nil }
    return tag(of: current)
  }

  /// True if the current element belongs to SVG or MathML.
  private var isInForeign: Bool {
    guard let current = open.last else { return false }
    return tree.nodes[Int(current)].namespace != .html
  }

  func isOpen(_ tag: HTMLTag) -> Bool { level(of: tag) != nil }

  /// Returns the level of the innermost open element with a tag.
  private func level(of tag: HTMLTag) -> Int? {
    var level = open.count
    while level > 0 {
      level -= 1
      if self.tag(of: open[level]) == tag { return level }
    }
    return nil
  }

  /// Returns whether an element is open; the most recent ones are the likeliest.
  func isOpen(_ node: Index) -> Bool { open.last == node || open.lastIndex(of: node) != nil }

  /// Returns whether an element is open that no other open element hides.
  func hasInScope(_ tags: TagSet, within limits: TagSet = HTMLTag.scope) -> Bool {
    for node in open.reversed() {
      let found = tree.nodes[Int(node)]
      guard let tag = found.tag else { continue }
      if found.namespace == .html {
        if tags.contains(tag) { return true }
        if limits.contains(tag) { return false }
      } else if HTMLTag.foreignScope.contains(tag), limits.contains(.applet) {
        return false
      }
    }
    return false
  }

  func isInScope(_ node: Index) -> Bool {
    for other in open.reversed() {
      if other == node { return true }
      let found = tree.nodes[Int(other)]
      guard let tag = found.tag else { continue }
      if found.namespace == .html ? HTMLTag.scope.contains(tag) : HTMLTag.foreignScope.contains(tag) {
        return false
      }
    }
    return false
  }

  func hasInTableScope(_ tags: TagSet) -> Bool { hasInScope(tags, within: HTMLTag.tableScope) }

  /// Closes elements up to and including the first with a tag in `tags`.
  mutating func close(through tags: TagSet) {
    while let node = open.popLast() {
      if let tag = tag(of: node), tags.contains(tag) { return }
    }
  }

  /// Closes elements until the current one has a tag in `tags`.
  mutating func close(to tags: TagSet) {
    while let node = open.last, !(tag(of: node).map(tags.contains) ?? false) { pop() }
  }

  mutating func closeImplied(except tag: HTMLTag? = nil) {
    while let current = currentTag, HTMLTag.impliedEnd.contains(current), current != tag { pop() }
  }

  mutating func closeParagraph() {
    if hasInScope([.p], within: HTMLTag.buttonScope) { close(through: [.p]) }
  }

  // MARK: Insertion

  /// The place for a new node: in an element, before another node or at the end.
  typealias Place = (parent: Index, before: Index)

  /// - Parameter target: The element to use instead of the current one.
  func place(in target: Index? = nil) -> Place {
    guard let target = target ?? current else { return (0, -1) }
    guard isFostering, let tag = tag(of: target), HTMLTag.tableParts.contains(tag) else {
      return (target, -1)
    }
    let table = level(of: .table)
    let template = level(of: .template)
    if let template, table.map({ template > $0 }) ?? true { return (open[template], -1) }
    guard let table else { return (open[0], -1) }
    let parent = tree.nodes[Int(open[table])].parent
    return parent >= 0 ? (parent, open[table]) : (open[max(table - 1, 0)], -1)
  }

  mutating func insert(_ slice: Slice) {
    guard slice.count > 0 else { return }
    let place = place()
    // The document node has no texts.
    guard place.parent > 0 else { return }
    let before =
      place.before < 0 ? tree.nodes[Int(place.parent)].last : tree.nodes[Int(place.before)].previous
    if before > 0, tree.nodes[Int(before)].tag == nil {
      let content = tree.nodes[Int(before)].content
      if content.start + content.count == slice.start {
        tree.nodes[Int(before)].content.count += slice.count
        return
      }
    }
    tree.nodes.append(HTMLTree.Node(content: slice))
    tree.insert(Index(tree.nodes.count - 1), in: place.parent, before: place.before)
  }

  /// Makes an element that is not in the tree yet.
  mutating func make(_ tag: Tag, _ namespace: HTMLTree.Namespace = .html) -> Index {
    tree.nodes.append(
      HTMLTree.Node(tag: tag.tag, namespace: namespace, name: tag.name, content: tag.attributes))
    return Index(tree.nodes.count - 1)
  }

  @discardableResult
  mutating func insert(_ tag: Tag, _ namespace: HTMLTree.Namespace = .html) -> Index {
    let node = make(tag, namespace)
    makeRoom()
    let place = place()
    tree.insert(node, in: place.parent, before: place.before)
    if open.count < Self.deepest { open.append(node) }
    return node
  }

  /// Closes the current element if too many are open, except table parts and similar elements, which other
  /// rules expect.
  ///
  /// A deep element therefore still contains its own text.
  private mutating func makeRoom() {
    guard open.count >= Self.deepest, let tag = currentTag, !HTMLTag.structural.contains(tag) else { return }
    pop()
  }

  /// Inserts an element that has no content.
  mutating func insertVoid(_ tag: Tag, _ namespace: HTMLTree.Namespace = .html) {
    let node = make(tag, namespace)
    let place = place()
    tree.insert(node, in: place.parent, before: place.before)
  }

  /// Inserts an SVG or MathML element. Its tag may close itself.
  mutating func insertForeign(_ tag: Tag, _ namespace: HTMLTree.Namespace) {
    if tag.isSelfClosing { insertVoid(tag, namespace) } else { insert(tag, namespace) }
  }

  /// Inserts an element without a tag in the document.
  mutating func insert(_ tag: HTMLTag) {
    let node = insert(Tag(tag: tag, name: NameHash(tag.name)))
    tree.nodes[Int(node)].isImplied = true
  }

  /// Inserts an element that contains only text up to its end tag.
  mutating func insert(_ tag: Tag, reading content: HTMLTokenizer.Content) {
    let node = insert(tag)
    tokenizer.read(content, of: tag)
    // Such elements are not nested, so one may always be open.
    if open.last != node { open.append(node) }
    returnMode = mode
    mode = .text
  }

  // MARK: Other ends

  /// Ends an element without a special rule.
  mutating func endOther(_ tag: Tag) {
    for level in open.indices.reversed() {
      let node = open[level]
      if tree.nodes[Int(node)].namespace == .html, tree.nodes[Int(node)].name == tag.name {
        open.removeLast(open.count - level)
        return
      }
      if isSpecial(node) { return }
    }
  }

  func isSpecial(_ node: Index) -> Bool {
    let found = tree.nodes[Int(node)]
    guard let tag = found.tag else { return false }
    return found.namespace == .html ? HTMLTag.special.contains(tag) : HTMLTag.foreignScope.contains(tag)
  }

  // MARK: The mode

  /// Chooses the mode that the open elements require.
  mutating func resetMode() {
    for level in open.indices.reversed() {
      switch tag(of: open[level]) {
      case .select:
        let isInTable = open[..<level].reversed().first { [.template, .table].contains(tag(of: $0)) }
        mode = isInTable.map { tag(of: $0) == .table } == true ? .inSelectInTable : .inSelect
      case .td where level > 0, .th where level > 0: mode = .inCell
      case .tr: mode = .inRow
      case .tbody, .thead, .tfoot: mode = .inTableBody
      case .caption: mode = .inCaption
      case .colgroup: mode = .inColumnGroup
      case .table: mode = .inTable
      case .template: mode = templateModes.last ?? .inBody
      case .head where level > 0: mode = .inHead
      case .body: mode = .inBody
      case .frameset: mode = .inFrameset
      case .html: mode = head < 0 ? .beforeHead : .afterHead
      default: continue
      }
      return
    }
    mode = .inBody
  }
}
