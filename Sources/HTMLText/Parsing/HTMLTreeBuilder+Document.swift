internal import Markup

/// The rules for the document around its body, and for elements with text only.
extension HTMLTreeBuilder {
  /// Splits white space off the beginning of a text.
  private func split(_ slice: Slice) -> (space: Slice, rest: Slice) {
    let count = Int32(tokenizer.text[slice.range].prefix(while: \.isHTMLSpace).count)
    return (
      Slice(start: slice.start, count: count), Slice(start: slice.start + count, count: slice.count - count)
    )
  }

  func isSpace(_ slice: Slice) -> Bool { tokenizer.text[slice.range].allSatisfy(\.isHTMLSpace) }

  /// Inserts the white space at the beginning of a text, and returns the rest; nil if nothing is left.
  mutating func insertSpace(of slice: Slice) -> Slice? {
    let (space, rest) = split(slice)
    insert(space)
    return rest.count > 0 ? rest : nil
  }

  /// Processes part of a token instead of the whole.
  mutating func restart(_ token: HTMLTokenizer.Token) -> Step {
    while inMode(mode, token) == .again {}
    return .done
  }

  mutating func beforeHTML(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice) where isSpace(slice): return .done
    case .start(let tag) where tag.tag == .html:
      insert(tag)
      mode = .beforeHead
      return .done
    case .end(let tag) where !([.head, .body, .html, .br] as TagSet).contains(tag.tag): return .done
    case .doctype: return .done
    default:
      insert(.html)
      return move(to: .beforeHead)
    }
  }

  mutating func beforeHead(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice) where isSpace(slice): return .done
    case .text(let slice):
      insertHead()
      mode = .inHead
      return restart(.text(split(slice).rest))
    case .start(let tag) where tag.tag == .html: return inBody(token)
    case .start(let tag) where tag.tag == .head:
      head = insert(tag)
      mode = .inHead
      return .done
    case .end(let tag) where !([.head, .body, .html, .br] as TagSet).contains(tag.tag): return .done
    case .doctype: return .done
    default:
      insertHead()
      return move(to: .inHead)
    }
  }

  private mutating func insertHead() { head = insert(Tag(tag: .head, name: NameHash("head"))) }

  /// The rules inside a `noscript` in the head; nil for a token that ends it.
  private mutating func inHeadNoscript(_ token: HTMLTokenizer.Token) -> Step? {
    switch token {
    case .text(let slice): return isSpace(slice) ? inHead(token, isNoscript: true) : nil
    case .start(let tag):
      switch tag.tag {
      case .noscript, .head: return .done
      case .html, .basefont, .bgsound, .link, .meta, .noframes, .style: return inHead(token, isNoscript: true)
      default: return nil
      }
    case .end(let tag):
      if tag.tag == .noscript { pop() }
      return tag.tag == .br ? nil : .done
    case .doctype: return .done
    case .endOfDocument: return nil
    }
  }

  mutating func inHead(_ token: HTMLTokenizer.Token, isNoscript: Bool = false) -> Step {
    if !isNoscript, mode == .inHead, currentTag == .noscript {
      if let step = inHeadNoscript(token) { return step }
      pop()
    }
    switch token {
    case .text(let slice):
      guard let rest = insertSpace(of: slice) else { return .done }
      pop()
      mode = .afterHead
      return restart(.text(rest))
    case .start(let tag):
      switch tag.tag {
      case .html: return inBody(token)
      case .base, .basefont, .bgsound, .link, .meta: insertVoid(tag)
      case .title: insert(tag, reading: .escapableText)
      case .noframes, .style: insert(tag, reading: .rawText)
      case .script: insert(tag, reading: .script)
      case .noscript:
        // Its content may belong into the body.
        insert(tag)
      case .template:
        let node = insert(tag)
        guard open.last == node else { return .done }
        addMarker()
        allowsFrameset = false
        mode = .inTemplate
        templateModes.append(.inTemplate)
      case .head: break
      default:
        pop()
        return move(to: .afterHead)
      }
      return .done
    case .end(let tag):
      switch tag.tag {
      case .head:
        pop()
        mode = .afterHead
        return .done
      case .template:
        endTemplate()
        return .done
      case .body, .html, .br:
        pop()
        return move(to: .afterHead)
      default: return .done
      }
    case .doctype: return .done
    case .endOfDocument:
      pop()
      return move(to: .afterHead)
    }
  }

  mutating func endTemplate() {
    guard isOpen(.template) else { return }
    close(through: [.template])
    clearToMarker()
    _ = templateModes.popLast()
    resetMode()
  }

  mutating func afterHead(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice):
      guard let rest = insertSpace(of: slice) else { return .done }
      insert(.body)
      mode = .inBody
      return restart(.text(rest))
    case .start(let tag):
      switch tag.tag {
      case .html: return inBody(token)
      case .body:
        insert(tag)
        allowsFrameset = false
        mode = .inBody
        return .done
      case .frameset:
        insert(tag)
        mode = .inFrameset
        return .done
      case .head: return .done
      case let name where HTMLTag.headContent.contains(name):
        open.append(head)
        let step = inHead(token)
        if let level = open.lastIndex(of: head) { open.remove(at: level) }
        return step
      default:
        insert(.body)
        return move(to: .inBody)
      }
    case .end(let tag) where tag.tag == .template: return inHead(token)
    case .end(let tag) where !([.body, .html, .br] as TagSet).contains(tag.tag): return .done
    case .doctype: return .done
    default:
      insert(.body)
      return move(to: .inBody)
    }
  }

  mutating func inText(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice):
      insert(slice)
      return .done
    case .endOfDocument:
      pop()
      return move(to: returnMode)
    default:
      pop()
      mode = returnMode
      return .done
    }
  }

  mutating func inTemplate(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text, .doctype: return inBody(token)
    case .start(let tag):
      switch tag.tag {
      case let name where HTMLTag.headContent.contains(name): return inHead(token)
      case .caption, .colgroup, .tbody, .tfoot, .thead: return moveTemplate(to: .inTable)
      case .col: return moveTemplate(to: .inColumnGroup)
      case .tr: return moveTemplate(to: .inTableBody)
      case .td, .th: return moveTemplate(to: .inRow)
      default: return moveTemplate(to: .inBody)
      }
    case .end(let tag): return tag.tag == .template ? inHead(token) : .done
    case .endOfDocument:
      guard isOpen(.template) else { return .done }
      endTemplate()
      return .again
    }
  }

  private mutating func moveTemplate(to mode: Mode) -> Step {
    _ = templateModes.popLast()
    templateModes.append(mode)
    return move(to: mode)
  }

  mutating func afterBody(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice) where isSpace(slice): return inBody(token)
    case .start(let tag) where tag.tag == .html: return inBody(token)
    case .end(let tag) where tag.tag == .html: return .done
    case .doctype, .endOfDocument: return .done
    default: return move(to: .inBody)
    }
  }

  mutating func inFrameset(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice): insertSpaces(of: slice)
    case .start(let tag):
      switch tag.tag {
      case .html: return inBody(token)
      case .frameset: insert(tag)
      case .frame: insertVoid(tag)
      case .noframes: return inHead(token)
      default: break
      }
    case .end(let tag) where tag.tag == .frameset:
      if open.count > 1 { pop() }
      if currentTag != .frameset { mode = .afterFrameset }
    default: break
    }
    return .done
  }

  mutating func afterFrameset(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice): insertSpaces(of: slice)
    case .start(let tag) where tag.tag == .html: return inBody(token)
    case .start(let tag) where tag.tag == .noframes: return inHead(token)
    default: break
    }
    return .done
  }

  /// Inserts the white space in a text: a frameset has no other text.
  private mutating func insertSpaces(of slice: Slice) {
    for place in slice.range where tokenizer.text[place].isHTMLSpace {
      insert(Slice(start: Int32(place), count: 1))
    }
  }
}
