internal import Markup

/// Writes a document's elements and texts as safe HTML.
struct SafeHTMLWriter: HTMLWriter {
  private var result: [UInt8] = []
  /// The written element for each open element; ``HTMLTag/other`` if nothing was written.
  private var open: [HTMLTag] = []
  /// The number of open elements that were written.
  private var written = 0
  /// The number of open paragraphs that were written.
  private var paragraphs = 0
  /// True if a link is open: links cannot be nested.
  private var isInLink = false
  var isFallback = false
  /// True directly after the start of `pre`, where a parser drops a line end.
  private var beginsPreformatted = false

  /// The deepest nesting that is written. Browsers flatten elements below a depth of 512.
  private static let deepest = 200

  /// True for plain text: its lines begin with spaces that browsers would leave out.
  private let isPlainText: Bool

  /// The links inside the document; nil if they are left out.
  private(set) var anchors: InnerLinks?

  init(size: Int, anchors: InnerLinks?, isPlainText: Bool) {
    (self.anchors, self.isPlainText) = (anchors, isPlainText)
    result.reserveCapacity(size + size / 4)
  }

  mutating func take(_ text: HTMLTree.Slice, of tree: HTMLTree) {
    var bytes = tree.text.span.extracting(text.range)
    if isPlainText { bytes = bytes.extracting(addIndentation(bytes)...) }
    if InvisiblePadding.isPart(of: bytes) {
      InvisiblePadding.split(bytes) { add($0) }
    } else {
      add(bytes)
    }
  }

  /// Writes the spaces that begin a line as no-break spaces, and returns their count including the line end.
  private mutating func addIndentation(_ line: Span<UInt8>) -> Int {
    var place = 0
    while place < line.count, line[place].isHTMLSpace {
      switch line[place] {
      case UInt8(ascii: " "): add("&nbsp;")
      case UInt8(ascii: "\t"): add("&nbsp;&nbsp;&nbsp;&nbsp;")
      default: result.append(line[place])
      }
      place += 1
    }
    return place
  }

  /// Returns the HTML in UTF-8.
  consuming func finish() -> [UInt8] { result }

  private mutating func add(_ text: Span<UInt8>) {
    if beginsPreformatted, text.count > 0 {
      beginsPreformatted = false
      if text[0] == UInt8(ascii: "\n") { result.append(text[0]) }
    }
    SafeHTML.append(escaped: text, to: &result)
  }

  private mutating func add(_ text: StaticString) { result.append(text) }

  // MARK: Elements

  mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
    switch tree.meaning(of: element, tag) {
    case .hidden: return false
    case .text(let slice):
      take(slice, of: tree)
      return false
    case .checkbox(let isChecked):
      add(isChecked ? "[x] " : "[ ] ")
      return false
    case .fallback(let slice):
      visit(fallback: slice, of: tree)
      return false
    case .reference(let reference, let showsContent):
      addAnchor(of: element, tree)
      add(reference, of: tree)
      if showsContent { open.append(.other) }
      return showsContent
    case .content: return start(element, tag, of: tree)
    }
  }

  mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) {
    if let signs = tree.mathSigns(of: element) { result += signs.closing.utf8 }
    guard let name = open.popLast(), name != .other else { return }
    beginsPreformatted = false
    add("</")
    result += Self.names[Int(name.rawValue)]
    add(">")
    written -= 1
    if name == .a { isInLink = false }
    if name == .p { paragraphs -= 1 }
  }

  private mutating func start(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
    if let signs = tree.mathSigns(of: element) { result += signs.opening.utf8 }
    // A parser adds these table parts again.
    let isAdded = tag == .tbody && tree.nodes[Int(element)].isImplied
    let isHTML = tree.nodes[Int(element)].namespace == .html
    let name = isHTML && !isAdded ? Self.written[Int(tag.rawValue)] : .other
    if name == .br || name == .hr || name == .wbr {
      guard name != .hr || !endsAnother(name) else { return false }
      addAnchor(of: element, tree)
      add("<")
      result += Self.names[Int(name.rawValue)]
      add(">")
      return false
    }
    guard name != .other, name == .a ? !isInLink : written < Self.deepest, !endsAnother(name) else {
      addAnchor(of: element, tree)
      open.append(.other)
      return true
    }
    add("<")
    result += Self.names[Int(name.rawValue)]
    if tree.nodes[Int(element)].content.count > 0 { addAttributes(of: element, tag, tree) }
    add(">")
    open.append(name)
    written += 1
    if name == .a { isInLink = true }
    if name == .p { paragraphs += 1 }
    if name == .pre { beginsPreformatted = true }
    return true
  }

  /// Returns whether a parser would end another open element here, because the element between them is not
  /// written.
  private func endsAnother(_ name: HTMLTag) -> Bool {
    let isItem = name == .li || name == .dt || name == .dd
    guard isItem || paragraphs > 0 && Self.endsParagraph.contains(name) else { return false }
    var mayEndItem = isItem
    for other in open.reversed() where other != .other {
      if other == .p, Self.endsParagraph.contains(name) { return true }
      if mayEndItem, other == name || other == .dt && name == .dd || other == .dd && name == .dt {
        return true
      }
      if HTMLTag.special.contains(other), other != .div, other != .p { mayEndItem = false }
      if HTMLTag.scope.contains(other) || !mayEndItem && paragraphs == 0 { return false }
    }
    return false
  }

  /// Adds a picture, video, audio file or frame as a link to it.
  private mutating func add(_ reference: HTMLTree.Reference, of tree: HTMLTree) {
    if !isInLink, let slice = reference.address,
      addLink("<a class=\"media\"", to: tree.text.span.extracting(slice.range))
    {
      add(">")
      addLabel(of: reference, tree)
      add("</a>")
    } else if isInLink || !reference.words.isEmpty {
      add("<span class=\"media\">")
      addLabel(of: reference, tree)
      add("</span>")
    }
  }

  private mutating func addLabel(of reference: HTMLTree.Reference, _ tree: HTMLTree) {
    switch reference.kind {
    case .img: add("image")
    case .iframe, .frame: add("embedded page")
    case .video: add("video")
    case .audio: add("audio")
    case .area: add("link")
    default: add("file")
    }
    for (place, words) in reference.words.enumerated() {
      add(place == 0 ? ": " : " – ")
      addCollapsed(words, of: tree)
    }
  }

  private mutating func addCollapsed(_ slice: HTMLTree.Slice, of tree: HTMLTree) {
    let words = tree.text[slice.range].split(whereSeparator: \.isHTMLSpace)
    for (place, word) in words.enumerated() {
      if place > 0 { add(" ") }
      SafeHTML.append(escaped: word.span, to: &result)
    }
  }

  // MARK: Attributes

  private mutating func addAttributes(of element: HTMLTree.Index, _ tag: HTMLTag, _ tree: HTMLTree) {
    for attribute in tree.attributes[tree.nodes[Int(element)].content.range] {
      let value = tree.text.span.extracting(attribute.value.range)
      switch (attribute.name, tag) {
      // A picture's link keeps its class, so that converting safe HTML again changes nothing.
      case (.class, .a), (.class, .span): if value.equalsIgnoringCase("media") { add(" class=\"", "media") }
      case (.href, .a):
        let address = tree.text[attribute.value.range]
        if let target = anchors?.target(of: address) {
          add(" href=\"#", target.span)
        } else if !addLink(to: value), let outer = anchors?.addressOnPage(of: address) {
          _ = addLink(to: outer.span)
        }
      case (.name, .a) where tree.has(.id, at: element): break
      case (.id, _), (.name, .a):
        if let anchor = anchors?.take(tree.text[attribute.value.range]) { add(" id=\"", anchor.span) }
      case (.lang, _): if let tag = SafeHTML.languageTag(of: value) { add(" lang=\"", tag.span) }
      case (.dir, _): add(value, ofNames: ["ltr", "rtl", "auto"], " dir=\"")
      case (.colspan, .td), (.colspan, .th): addCount(" colspan=\"", of: attribute.name, at: element, tree)
      case (.rowspan, .td), (.rowspan, .th): addCount(" rowspan=\"", of: attribute.name, at: element, tree)
      case (.start, .ol): add(" start=\"", tree.number(.start, at: element))
      case (.reversed, .ol): add(" reversed")
      case (.type, .ol), (.type, .li):
        if ListNumber(value.text) != nil { add(" type=\"", value) }
      case (.value, .li): add(" value=\"", tree.number(.value, at: element))
      case (.span, .col), (.span, .colgroup): addCount(" span=\"", of: attribute.name, at: element, tree)
      case (.scope, .th): add(value, ofNames: ["row", "col"], " scope=\"")
      case (.title, .abbr), (.title, .acronym), (.title, .dfn): add(" title=\"", value)
      default: break
      }
    }
  }

  /// Adds an empty element instead of an element that is not written, if links lead to it.
  private mutating func addAnchor(of element: HTMLTree.Index, _ tree: HTMLTree) {
    guard anchors != nil, tree.nodes[Int(element)].content.count > 0,
      let name = tree.slice(of: .id, at: element), mayContainText,
      let anchor = anchors?.take(tree.text[name.range])
    else { return }
    add("<span id=\"", anchor.span)
    add("></span>")
  }

  /// False directly inside an element that contains other elements only, such as rows.
  private var mayContainText: Bool {
    guard let last = open.last(where: { $0 != .other }) else { return true }
    return !Self.containers.contains(last)
  }

  private static let containers: TagSet = [
    .table, .tbody, .thead, .tfoot, .tr, .colgroup, .ul, .ol, .menu, .dir, .dl, .ruby,
  ]

  /// Adds a link's attributes after a text; adds nothing and returns false if the address is not safe.
  private mutating func addLink(_ start: StaticString = "", to address: Span<UInt8>) -> Bool {
    guard SafeHTML.isSafe(address) else {
      guard let corrected = LinkAddress.corrected(address), SafeHTML.isSafe(corrected.span) else {
        return false
      }
      return addLink(start, to: corrected.span)
    }
    add(start)
    add(" href=\"", address)
    add(" rel=\"", Self.relation)
    return true
  }

  private mutating func add(_ attribute: StaticString, _ value: Span<UInt8>) {
    add(attribute)
    SafeHTML.append(escaped: value, to: &result)
    add("\"")
  }

  private mutating func add(_ attribute: StaticString, _ value: StaticString) {
    add(attribute)
    add(value)
    add("\"")
  }

  private mutating func add(_ value: Span<UInt8>, ofNames names: [StaticString], _ attribute: StaticString) {
    guard let name = names.first(where: { value.equalsIgnoringCase($0) }) else { return }
    add(attribute, name)
  }

  private mutating func add(_ attribute: StaticString, _ number: Int?) {
    guard let number else { return }
    add(attribute, Array("\(number)".utf8).span)
  }

  /// Adds a column or row count; browsers know at most 1,000 columns.
  private mutating func addCount(
    _ attribute: StaticString, of name: HTMLAttribute, at element: HTMLTree.Index, _ tree: HTMLTree
  ) {
    add(attribute, tree.number(name, at: element).flatMap { (0...1000).contains($0) ? $0 : nil })
  }

  private static let relation: StaticString = "noopener noreferrer nofollow"

  /// Elements that end a paragraph.
  private static let endsParagraph = HTMLTag.blocks.union(HTMLTag.headings).union([.pre, .hr, .li, .dt, .dd])

  /// The written element for each element; ``HTMLTag/other`` if it is not written. Headings are moved below
  /// the page's headings.
  private static let written: [HTMLTag] = {
    let allowed = """
      a abbr b bdi bdo blockquote br caption cite code col colgroup dd del dfn div dl dt em figcaption figure hr i ins
      kbd li mark ol p pre q rp rt ruby s samp small span strong sub sup table tbody td tfoot th thead time tr u ul var
      wbr h1=h4 h2=h4 h3=h5 h4=h6 h5=h6 h6=h6 strike=s tt=code acronym=abbr center=div big=b menu=ul dir=ul listing=pre
      xmp=pre plaintext=pre section=div article=div aside=div header=div footer=div main=div address=div details=div
      summary=p
      """
    var written = [HTMLTag](repeating: .other, count: 256)
    for entry in allowed.split(whereSeparator: \.isWhitespace) {
      let parts = entry.split(separator: "=").compactMap { HTMLTag.byName[NameHash(String($0))] }
      if let tag = parts.first, let name = parts.last { written[Int(tag.rawValue)] = name }
    }
    return written
  }()

  /// All element names, in UTF-8.
  private static let names: [[UInt8]] = {
    var names = [[UInt8]](repeating: [], count: 256)
    for tag in HTMLTag.allCases { names[Int(tag.rawValue)] = Array(tag.name.utf8) }
    return names
  }()
}
