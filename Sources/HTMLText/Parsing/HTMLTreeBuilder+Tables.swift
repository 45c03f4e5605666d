internal import Markup

/// The rules for tables and option lists.
extension HTMLTreeBuilder {
  // MARK: Tables

  mutating func inTable(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text where currentTag.map(HTMLTag.tableParts.union([.template]).contains) ?? false:
      tableText = []
      returnMode = mode
      return move(to: .inTableText)
    case .start(let tag):
      switch tag.tag {
      case .caption:
        closeToTable()
        addMarker()
        insert(tag)
        mode = .inCaption
      case .colgroup:
        closeToTable()
        insert(tag)
        mode = .inColumnGroup
      case .col:
        closeToTable()
        insert(.colgroup)
        return move(to: .inColumnGroup)
      case .tbody, .tfoot, .thead:
        closeToTable()
        insert(tag)
        mode = .inTableBody
      case .td, .th, .tr:
        closeToTable()
        insert(.tbody)
        return move(to: .inTableBody)
      case .table:
        guard hasInTableScope([.table]) else { return .done }
        close(through: [.table])
        resetMode()
        return .again
      case .style, .script, .template: return inHead(token)
      case .input where isHidden(tag): insertVoid(tag)
      case .form:
        guard form < 0, !isOpen(.template) else { return .done }
        form = insert(tag)
        if open.last == form { pop() }
      default: return foster(token)
      }
      return .done
    case .end(let tag):
      switch tag.tag {
      case .table:
        guard hasInTableScope([.table]) else { return .done }
        close(through: [.table])
        resetMode()
        return .done
      case .body, .caption, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: return .done
      case .template: return inHead(token)
      default: return foster(token)
      }
    case .doctype: return .done
    case .endOfDocument: return inBody(token)
    case .text: return foster(token)
    }
  }

  func isHidden(_ tag: Tag) -> Bool {
    tokenizer.attributes[tag.attributes.range].contains { attribute in
      attribute.name == .type
        && String(decoding: tokenizer.text[attribute.value.range], as: UTF8.self).lowercased() == "hidden"
    }
  }

  /// Places a token that does not belong into a table before the table.
  private mutating func foster(_ token: HTMLTokenizer.Token) -> Step {
    isFostering = true
    defer { isFostering = false }
    return inBody(token)
  }

  private mutating func closeToTable() { close(to: [.table, .template, .html]) }

  mutating func inTableText(_ token: HTMLTokenizer.Token) -> Step {
    if case .text(let slice) = token {
      tableText.append(slice)
      return .done
    }
    endTableText()
    return .again
  }

  /// Puts a table's texts into it if they are white space, otherwise before it.
  mutating func endTableText() {
    mode = returnMode
    let isSpace = tableText.allSatisfy { self.isSpace($0) }
    for slice in tableText {
      if isSpace { insert(slice) } else { while foster(.text(slice)) == .again {} }
    }
    tableText = []
  }

  mutating func inCaption(_ token: HTMLTokenizer.Token) -> Step {
    let isEnd: Bool
    switch token {
    case .end(let tag) where tag.tag == .caption: isEnd = true
    case .start(let tag) where HTMLTag.tableContent.contains(tag.tag): isEnd = false
    case .end(let tag) where tag.tag == .table: isEnd = false
    case .end(let tag)
    where HTMLTag.tableContent.contains(tag.tag) || tag.tag == .body || tag.tag == .html:
      return .done
    default: return inBody(token)
    }
    guard hasInTableScope([.caption]) else { return .done }
    close(through: [.caption])
    clearToMarker()
    mode = .inTable
    return isEnd ? .done : .again
  }

  mutating func inColumnGroup(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice) where isSpace(slice):
      insert(slice)
      return .done
    case .text(let slice) where tokenizer.text[slice.range].first?.isHTMLSpace == true:
      guard currentTag == .colgroup, let rest = insertSpace(of: slice) else { return .done }
      return restart(.text(rest))
    case .start(let tag) where tag.tag == .html: return inBody(token)
    case .start(let tag) where tag.tag == .col:
      insertVoid(tag)
      return .done
    case .start(let tag) where tag.tag == .template: return inHead(token)
    case .end(let tag) where tag.tag == .template: return inHead(token)
    case .end(let tag) where tag.tag == .col: return .done
    case .doctype: return .done
    case .endOfDocument: return inBody(token)
    default:
      guard currentTag == .colgroup else { return .done }
      pop()
      if case .end(let tag) = token, tag.tag == .colgroup {
        mode = .inTable
        return .done
      }
      return move(to: .inTable)
    }
  }

  mutating func inTableBody(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .start(let tag):
      switch tag.tag {
      case .tr:
        closeToSection()
        insert(tag)
        mode = .inRow
        return .done
      case .td, .th:
        closeToSection()
        insert(.tr)
        return move(to: .inRow)
      case .caption, .col, .colgroup, .tbody, .tfoot, .thead: return endSection()
      default: return inTable(token)
      }
    case .end(let tag):
      switch tag.tag {
      case .tbody, .tfoot, .thead:
        guard hasInTableScope([tag.tag]) else { return .done }
        closeToSection()
        pop()
        mode = .inTable
        return .done
      case .table: return endSection()
      case .body, .caption, .col, .colgroup, .html, .td, .th, .tr: return .done
      default: return inTable(token)
      }
    default: return inTable(token)
    }
  }

  private mutating func closeToSection() { close(to: HTMLTag.tableSections.union([.template, .html])) }

  private mutating func endSection() -> Step {
    guard hasInTableScope(HTMLTag.tableSections) else { return .done }
    closeToSection()
    pop()
    return move(to: .inTable)
  }

  mutating func inRow(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .start(let tag):
      switch tag.tag {
      case .td, .th:
        closeToRow()
        insert(tag)
        mode = .inCell
        addMarker()
        return .done
      case .caption, .col, .colgroup, .tbody, .tfoot, .thead, .tr: return endRow() ? .again : .done
      default: return inTable(token)
      }
    case .end(let tag):
      switch tag.tag {
      case .tr:
        _ = endRow()
        return .done
      case .table: return endRow() ? .again : .done
      case .tbody, .tfoot, .thead:
        guard hasInTableScope([tag.tag]) else { return .done }
        return endRow() ? .again : .done
      case .body, .caption, .col, .colgroup, .html, .td, .th: return .done
      default: return inTable(token)
      }
    default: return inTable(token)
    }
  }

  private mutating func closeToRow() { close(to: [.tr, .template, .html]) }

  /// Ends the row; returns false if no row is open.
  private mutating func endRow() -> Bool {
    guard hasInTableScope([.tr]) else { return false }
    closeToRow()
    pop()
    mode = .inTableBody
    return true
  }

  mutating func inCell(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .start(let tag) where HTMLTag.tableContent.contains(tag.tag):
      guard hasInTableScope(HTMLTag.cells) else { return .done }
      endCell()
      return .again
    case .end(let tag):
      switch tag.tag {
      case .td, .th:
        guard hasInTableScope([tag.tag]) else { return .done }
        close(through: [tag.tag])
        clearToMarker()
        mode = .inRow
        return .done
      case .body, .caption, .col, .colgroup, .html: return .done
      case .table, .tbody, .tfoot, .thead, .tr:
        guard hasInTableScope([tag.tag]) else { return .done }
        endCell()
        return .again
      default: return inBody(token)
      }
    default: return inBody(token)
    }
  }

  private mutating func endCell() {
    close(through: HTMLTag.cells)
    clearToMarker()
    mode = .inRow
  }

  // MARK: Options

  /// Returns whether an option list is open and only its groups and options are inside.
  private var hasSelectInScope: Bool {
    for node in open.reversed() {
      guard let tag = tag(of: node) else { return false }
      if tag == .select { return true }
      if tag != .optgroup, tag != .option { return false }
    }
    return false
  }

  mutating func inSelect(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice): insert(slice)
    case .start(let tag):
      switch tag.tag {
      case .html: return inBody(token)
      case .option:
        if currentTag == .option { pop() }
        insert(tag)
      case .optgroup, .hr:
        if currentTag == .option { pop() }
        if currentTag == .optgroup { pop() }
        if tag.tag == .hr { insertVoid(tag) } else { insert(tag) }
      case .select: endSelect()
      case .input, .keygen, .textarea:
        guard hasSelectInScope else { return .done }
        endSelect()
        return .again
      case .script, .template: return inHead(token)
      default: break
      }
    case .end(let tag):
      switch tag.tag {
      case .optgroup:
        if currentTag == .option, open.count > 1, self.tag(of: open[open.count - 2]) == .optgroup {
          pop()
        }
        if currentTag == .optgroup { pop() }
      case .option: if currentTag == .option { pop() }
      case .select: endSelect()
      case .template: return inHead(token)
      default: break
      }
    case .doctype: break
    case .endOfDocument: return inBody(token)
    }
    return .done
  }

  private mutating func endSelect() {
    guard hasSelectInScope else { return }
    close(through: [.select])
    resetMode()
  }

  mutating func inSelectInTable(_ token: HTMLTokenizer.Token) -> Step {
    let tags: TagSet = [.caption, .table, .tbody, .tfoot, .thead, .tr, .td, .th]
    switch token {
    case .start(let tag) where tags.contains(tag.tag): break
    case .end(let tag) where tags.contains(tag.tag):
      guard hasInTableScope([tag.tag]) else { return .done }
    default: return inSelect(token)
    }
    close(through: [.select])
    resetMode()
    return .again
  }
}
