internal import Markup

/// The rules for SVG and MathML.
extension HTMLTreeBuilder {
  /// Returns whether a token belongs to SVG or MathML.
  func isForeign(_ token: HTMLTokenizer.Token) -> Bool {
    guard let current else { return false }
    let node = tree.nodes[Int(current)]
    guard node.namespace != .html else { return false }
    switch token {
    case .endOfDocument: return false
    case .start(let tag):
      if isTextOfMath(node), tag.tag != .mglyph, tag.tag != .malignmark { return false }
      if node.namespace == .math, node.tag == .annotationXML, tag.tag == .svg { return false }
      return !holdsHTML(current)
    case .text: return !isTextOfMath(node) && !holdsHTML(current)
    default: return true
    }
  }

  private func isTextOfMath(_ node: HTMLTree.Node) -> Bool {
    guard node.namespace == .math, let tag = node.tag else { return false }
    return ([.mi, .mo, .mn, .ms, .mtext] as TagSet).contains(tag)
  }

  /// Returns whether an SVG or MathML element contains HTML.
  private func holdsHTML(_ index: Index) -> Bool {
    let node = tree.nodes[Int(index)]
    if node.namespace == .svg { return [.foreignObject, .desc, .title].contains(node.tag) }
    guard node.tag == .annotationXML else { return false }
    let encoding = tokenizer.attributes[node.content.range].first { $0.name == .encoding }
    let text = encoding.map { String(decoding: tokenizer.text[$0.value.range], as: UTF8.self).lowercased() }
    return text == "text/html" || text == "application/xhtml+xml"
  }

  mutating func inForeignContent(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice):
      // A null, which was replaced, counts as space here.
      let replacement = "\u{FFFD}".utf8
      let isText = tokenizer.text[slice.range].contains { !$0.isHTMLSpace && !replacement.contains($0) }
      if allowsFrameset, isText { allowsFrameset = false }
      insert(slice)
    case .start(let tag):
      if HTMLTag.endsForeign.contains(tag.tag) || tag.tag == .font && changesFont(tag) {
        return leaveForeign(token)
      }
      insertForeign(tag, current.map { tree.nodes[Int($0)].namespace } ?? .svg)
    case .end(let tag):
      if tag.tag == .br || tag.tag == .p { return leaveForeign(token) }
      var level = open.count - 1
      while level > 0 {
        let node = tree.nodes[Int(open[level])]
        if node.namespace == .html { return inMode(mode, token) }
        if node.name == tag.name {
          open.removeLast(open.count - level)
          return .done
        }
        level -= 1
      }
    case .doctype, .endOfDocument: break
    }
    return .done
  }

  private func changesFont(_ tag: Tag) -> Bool {
    tokenizer.attributes[tag.attributes.range].contains { [.color, .face, .size].contains($0.name) }
  }

  /// Closes the SVG and MathML elements, because HTML follows.
  private mutating func leaveForeign(_ token: HTMLTokenizer.Token) -> Step {
    while let current {
      let node = tree.nodes[Int(current)]
      if node.namespace == .html || isTextOfMath(node) || holdsHTML(current) { break }
      pop()
    }
    return inMode(mode, token)
  }
}
