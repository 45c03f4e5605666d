internal import Markup

/// Mathematics in one line: MathML arranges its elements around each other, and text needs signs instead.
extension HTMLTree {
  /// The signs around a MathML element that show its position: `/` before the second part of a fraction.
  struct MathSigns {
    var opening = ""
    var closing = ""
    /// True if no space precedes the opening sign.
    var joins = false
  }

  /// Returns the signs around an element; nil if it needs no signs.
  func mathSigns(of index: Index) -> MathSigns? {
    let node = nodes[Int(index)]
    guard node.namespace == .math, let tag = node.tag, node.parent > 0 else { return nil }
    var signs = MathSigns()
    switch (nodes[Int(node.parent)].tag ?? .other, place(of: index)) {
    case (.mfrac, let place):
      let binds = ([.msub, .msubsup, .msup] as TagSet).contains(tag)
      if !binds { group(index, &signs) }
      if place > 0 { signs.join("/") }
    case (.msub, 0), (.msup, 0), (.msubsup, 0), (.mroot, 0): group(index, &signs)
    case (.msup, _), (.mover, 1...), (.munder, 1...):
      if tag == .mo, !beginsWithASCII(index) {
        signs.joins = true
      } else {
        group(index, &signs)
        signs.join(nodes[Int(node.parent)].tag == .munder ? "_" : "^")
      }
    case (.msub, _), (.msubsup, 1), (.munderover, 1):
      group(index, &signs)
      signs.join("_")
    case (.msubsup, _), (.munderover, 2...):
      group(index, &signs)
      signs.join("^")
    case (.mroot, _):
      signs = MathSigns(opening: "^(1/", closing: ")", joins: true)
    case (.mfenced, 1...): signs.join(", ")
    case (.mtr, 1...): signs.join(" ")
    case (_, 1...) where tag == .mtr: signs.join("; ")
    default: break
    }
    switch tag {
    case .mfrac where signs.opening.isEmpty && followsValue(index): signs.opening = " "
    case .msqrt:
      var root = MathSigns()
      group(index, &root)
      signs.opening += "√" + root.opening
      signs.closing = root.closing + signs.closing
    case .mfenced:
      signs.opening += "("
      signs.closing = ")" + signs.closing
    default: break
    }
    return signs.opening.isEmpty && !signs.joins ? nil : signs
  }

  /// Returns whether a number or a variable directly precedes an element: 2 1/2.
  private func followsValue(_ index: Index) -> Bool {
    var previous = nodes[Int(index)].previous
    if previous > 0, nodes[Int(previous)].tag == nil { previous = nodes[Int(previous)].previous }
    guard previous > 0, let tag = nodes[Int(previous)].tag else { return false }
    return tag != .mo && tag != .mtext
  }

  /// Returns how many elements precede an element in its parent; at most 3.
  func place(of index: Index) -> Int {
    var (place, previous) = (0, nodes[Int(index)].previous)
    for _ in 0..<8 where previous > 0 && place < 3 {
      if nodes[Int(previous)].tag != nil { place += 1 }
      previous = nodes[Int(previous)].previous
    }
    return place
  }

  /// Adds parentheses around an element that has several tokens and no parentheses yet.
  private func group(_ index: Index, _ signs: inout MathSigns) {
    guard nodes[Int(index)].tag != .mfenced, needsParentheses(index) else { return }
    signs.opening = "("
    signs.closing = ")"
  }

  private func needsParentheses(_ index: Index) -> Bool {
    var (node, tokens, depth, isEnclosed) = (index, 0, 0, true)
    for _ in 0..<64 {
      if let tag = nodes[Int(node)].tag, Self.tokens.contains(tag) {
        if tokens > 0, depth == 0 { isEnclosed = false }
        tokens += 1
        switch beginning(of: node).first {
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"): depth -= 1
        default: if depth == 0 { isEnclosed = false }
        }
      }
      guard let next = following(node, in: index) else { return tokens > 1 && !isEnclosed }
      node = next
    }
    return true
  }

  private func beginsWithASCII(_ index: Index) -> Bool {
    beginning(of: index).first { !$0.isHTMLSpace }.map { $0 < 0x80 } ?? true
  }

  private static let tokens: TagSet = [.mi, .mn, .mo, .ms, .mtext]
}

extension HTMLTree.MathSigns {
  /// Writes an operator directly after the part before it.
  fileprivate mutating func join(_ sign: String) {
    opening = sign + opening
    joins = true
  }
}
