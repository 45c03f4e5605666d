internal import Markup

/// A document as the HTML Standard builds it (section 13.2): its nodes, in flat arrays, and their texts in
/// one array.
struct HTMLTree {
  /// A node's index in ``nodes``.
  typealias Index = Int32
  /// A range in ``text``.
  struct Slice {
    var start: Int32
    var count: Int32

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  enum Namespace: UInt8 {
    case html, svg, math
  }

  struct Attribute {
    let name: HTMLAttribute
    /// The value, with decoded references.
    let value: Slice
  }

  struct Node {
    /// Nil for a text.
    var tag: HTMLTag?
    var namespace = Namespace.html
    /// True for an element without a tag in the document.
    var isImplied = false
    /// The hash of the element's name, to compare elements without a known tag.
    var name = NameHash()
    // -1 if no such node exists.
    var parent: Index = -1
    var first: Index = -1
    var last: Index = -1
    var next: Index = -1
    var previous: Index = -1
    /// A text's range in ``text``; an element's range in ``attributes``.
    var content = Slice(start: 0, count: 0)

    /// True for an SVG element with a text.
    var isText: Bool { namespace == .svg && name == Self.text }

    private static let text = NameHash("text")
  }

  /// The nodes; the first is the document.
  var nodes: [Node] = [Node(tag: .other)]
  /// The texts and attribute values, in UTF-8.
  var text: [UInt8] = []
  var attributes: [Attribute] = []

  /// Parses a document or a fragment, which may be malformed.
  init(_ html: String) {
    var html = html
    self = html.withUTF8 { unsafe HTMLTree($0.span) }
  }

  /// Parses UTF-8.
  init(_ html: Span<UInt8>) {
    var builder = HTMLTreeBuilder()
    // The text may be three times as long, and its positions have 32 bits.
    builder.build(html.extracting(..<min(html.count, Int(Int32.max) / 4)))
    self = builder.finish()
  }

  init() {}

  // MARK: Reading

  /// Returns an attribute's value; nil without it.
  func value(of attribute: HTMLAttribute, at index: Index) -> String? {
    slice(of: attribute, at: index).map { String(decoding: text[$0.range], as: UTF8.self) }
  }

  /// Returns the number in an attribute, in 32 bits as in browsers; nil without one (HTML Standard, section
  /// 2.3.4.1).
  func number(_ attribute: HTMLAttribute, at index: Index) -> Int? {
    guard let slice = slice(of: attribute, at: index) else { return nil }
    let bytes = text[slice.range].drop(while: \.isHTMLSpace)
    let sign = bytes.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } == true ? 1 : 0
    let digits = bytes.dropFirst(sign).prefix(while: \.isASCIIDigit)
    return Int32(String(decoding: bytes.prefix(sign + digits.count), as: UTF8.self)).map { Int($0) }
  }

  func has(_ attribute: HTMLAttribute, at index: Index) -> Bool { slice(of: attribute, at: index) != nil }

  func slice(of attribute: HTMLAttribute, at index: Index) -> Slice? {
    let node = nodes[Int(index)]
    guard node.tag != nil, node.content.count > 0 else { return nil }
    return attributes[node.content.range].first { $0.name == attribute }?.value
  }

  // MARK: Building

  mutating func append(_ child: Index, to parent: Index) { insert(child, in: parent, before: -1) }

  /// Inserts a node that has no parent.
  /// - Parameter next: The following sibling; -1 to append.
  mutating func insert(_ child: Index, in parent: Index, before next: Index) {
    let previous = next < 0 ? nodes[Int(parent)].last : nodes[Int(next)].previous
    nodes[Int(child)].parent = parent
    nodes[Int(child)].previous = previous
    nodes[Int(child)].next = next
    if previous < 0 { nodes[Int(parent)].first = child } else { nodes[Int(previous)].next = child }
    if next < 0 { nodes[Int(parent)].last = child } else { nodes[Int(next)].previous = child }
  }

  /// Removes a node from its parent.
  mutating func remove(_ child: Index) {
    let node = nodes[Int(child)]
    guard node.parent >= 0 else { return }
    if node.previous < 0 {
      nodes[Int(node.parent)].first = node.next
    } else {
      nodes[Int(node.previous)].next = node.next
    }
    if node.next < 0 {
      nodes[Int(node.parent)].last = node.previous
    } else {
      nodes[Int(node.next)].previous = node.previous
    }
    (nodes[Int(child)].parent, nodes[Int(child)].next, nodes[Int(child)].previous) = (-1, -1, -1)
  }

  /// Appends all children of one element to another.
  mutating func moveChildren(of parent: Index, to other: Index) {
    while nodes[Int(parent)].first >= 0 {
      let child = nodes[Int(parent)].first
      remove(child)
      append(child, to: other)
    }
  }
}

/// Visits a tree's nodes in document order.
protocol HTMLVisitor {
  /// Takes an element. Its children follow only if it returns true.
  mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool
  /// Ends an element after its children.
  mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree)
  mutating func take(_ text: HTMLTree.Slice, of tree: HTMLTree)
}

/// Writes the meaning of a tree's nodes; see ``HTMLTree/Meaning``.
protocol HTMLWriter: HTMLVisitor {
  /// True inside HTML that replaces a frame: it cannot contain frames.
  var isFallback: Bool { get set }
}

extension HTMLWriter {
  /// Visits the nodes in HTML that replaces a frame.
  mutating func visit(fallback slice: HTMLTree.Slice, of tree: HTMLTree) {
    guard !isFallback else { return }
    isFallback = true
    HTMLTree(tree.text.span.extracting(slice.range)).visit(&self)
    isFallback = false
  }
}

extension HTMLTree {
  /// Shows a visitor all nodes below the document, without recursion: the document's author controls its
  /// depth.
  func visit(_ visitor: inout some HTMLVisitor) {
    var index = nodes[0].first
    while index > 0 {
      let node = nodes[Int(index)]
      if let tag = node.tag {
        if visitor.enter(index, tag, of: self) {
          if node.first > 0 {
            index = node.first
            continue
          }
          visitor.leave(index, tag, of: self)
        }
      } else {
        visitor.take(node.content, of: self)
      }
      // The next sibling, or the nearest ancestor's.
      var next = node.next
      var parent = node.parent
      while next < 0, parent > 0 {
        let ended = nodes[Int(parent)]
        if let tag = ended.tag { visitor.leave(parent, tag, of: self) }
        (next, parent) = (ended.next, ended.parent)
      }
      index = next
    }
  }
}
