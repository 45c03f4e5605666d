/// The rules for a document's body.
extension HTMLTreeBuilder {
  mutating func inBody(_ token: HTMLTokenizer.Token) -> Step {
    switch token {
    case .text(let slice):
      reopenFormatting()
      insert(slice)
      if allowsFrameset, !isSpace(slice) { allowsFrameset = false }
      return .done
    case .start(let tag): return start(tag)
    case .end(let tag): return end(tag)
    case .doctype: return .done
    case .endOfDocument: return templateModes.isEmpty ? .done : inTemplate(token)
    }
  }

  // MARK: Start tags

  private mutating func start(_ tag: Tag) -> Step {
    switch tag.tag {
    case .html, .head, .frame, .caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr: break
    case .base, .basefont, .bgsound, .link, .meta, .noframes, .script, .style, .template, .title:
      return inHead(.start(tag))
    case .body: if open.count > 1, !isOpen(.template) { allowsFrameset = false }
    case .frameset:
      guard allowsFrameset, open.count > 1, self.tag(of: open[1]) == .body else { break }
      tree.remove(open[1])
      open.removeLast(open.count - 1)
      insert(tag)
      mode = .inFrameset
    case .p, .address, .article, .aside, .blockquote, .center, .details, .dialog, .dir, .div, .dl, .fieldset,
      .figcaption, .figure, .footer, .header, .hgroup, .main, .menu, .nav, .ol, .search, .section, .summary,
      .ul:
      closeParagraph()
      insert(tag)
    case .h1, .h2, .h3, .h4, .h5, .h6:
      closeParagraph()
      if currentTag.map(HTMLTag.headings.contains) ?? false { pop() }
      insert(tag)
    case .pre, .listing:
      closeParagraph()
      insert(tag)
      tokenizer.skipLineEnd()
      allowsFrameset = false
    case .form:
      let isInTemplate = isOpen(.template)
      guard form < 0 || isInTemplate else { break }
      closeParagraph()
      let node = insert(tag)
      if !isInTemplate { form = node }
    case .li: startItem(tag, ends: [.li])
    case .dd, .dt: startItem(tag, ends: [.dd, .dt])
    case .plaintext:
      closeParagraph()
      insert(tag)
      tokenizer.read(.plainText, of: tag)
    case .button:
      if hasInScope([.button]) { close(through: [.button]) }
      reopenFormatting()
      insert(tag)
      allowsFrameset = false
    case .a:
      let start = formatting.lastIndex { $0.node < 0 }.map { $0 + 1 } ?? 0
      if let entry = formatting[start...].last(where: { $0.tag == .a }) {
        endFormatting(tag)
        forget(entry.node)
      }
      startFormatting(tag)
    case .b, .big, .code, .em, .font, .i, .s, .small, .strike, .strong, .tt, .u: startFormatting(tag)
    case .nobr:
      reopenFormatting()
      if hasInScope([.nobr]) {
        endFormatting(tag)
        reopenFormatting()
      }
      noteFormatting(insert(tag), tag)
    case .applet, .marquee, .object:
      reopenFormatting()
      let node = insert(tag)
      if open.last == node { addMarker() }
      allowsFrameset = false
    case .table:
      if !isQuirky { closeParagraph() }
      allowsFrameset = false
      // A table needs room for its parts. Without room, its texts are read like other texts.
      if open.count > Self.deepest - 8 {
        insertVoid(tag)
      } else {
        insert(tag)
        mode = .inTable
      }
    case .area, .br, .embed, .img, .keygen, .wbr, .input:
      reopenFormatting()
      insertVoid(tag)
      if tag.tag != .input || !isHidden(tag) { allowsFrameset = false }
    case .param, .source, .track: insertVoid(tag)
    case .hr:
      closeParagraph()
      insertVoid(tag)
      allowsFrameset = false
    case .image:
      var picture = tag
      (picture.tag, picture.name) = (.img, NameHash("img"))
      return start(picture)
    case .textarea:
      insert(tag, reading: .escapableText)
      tokenizer.skipLineEnd()
      allowsFrameset = false
    case .xmp:
      closeParagraph()
      reopenFormatting()
      insert(tag, reading: .rawText)
      allowsFrameset = false
    case .iframe:
      insert(tag, reading: .rawText)
      allowsFrameset = false
    case .noembed: insert(tag, reading: .rawText)
    case .select:
      reopenFormatting()
      let node = insert(tag)
      allowsFrameset = false
      guard open.last == node else { break }
      switch mode {
      case .inTable, .inCaption, .inTableBody, .inRow, .inCell: mode = .inSelectInTable
      default: mode = .inSelect
      }
    case .optgroup, .option:
      if currentTag == .option { pop() }
      reopenFormatting()
      insert(tag)
    case .rb, .rtc:
      if hasInScope([.ruby]) { closeImplied() }
      insert(tag)
    case .rp, .rt:
      if hasInScope([.ruby]) { closeImplied(except: .rtc) }
      insert(tag)
    case .math, .svg:
      reopenFormatting()
      insertForeign(tag, tag.tag == .math ? .math : .svg)
    default:
      reopenFormatting()
      insert(tag)
    }
    return .done
  }

  private mutating func startFormatting(_ tag: Tag) {
    reopenFormatting()
    noteFormatting(insert(tag), tag)
  }

  /// Starts a list item, and ends the previous one.
  private mutating func startItem(_ tag: Tag, ends items: TagSet) {
    allowsFrameset = false
    for node in open.reversed() {
      if let item = self.tag(of: node), items.contains(item) {
        close(through: [item])
        break
      }
      if isSpecial(node), !([.address, .div, .p] as TagSet).contains(self.tag(of: node) ?? .other) { break }
    }
    closeParagraph()
    insert(tag)
  }

  // MARK: End tags

  private mutating func end(_ tag: Tag) -> Step {
    switch tag.tag {
    case .template: return inHead(.end(tag))
    case .body:
      if hasInScope([.body]) { mode = .afterBody }
    case .html:
      guard hasInScope([.body]) else { break }
      return move(to: .afterBody)
    case .address, .article, .aside, .blockquote, .button, .center, .dd, .details, .dialog, .dir, .div, .dl,
      .dt,
      .fieldset, .figcaption, .figure, .footer, .header, .hgroup, .listing, .main, .menu, .nav, .ol, .pre,
      .search, .section, .summary, .ul:
      if hasInScope([tag.tag]) { close(through: [tag.tag]) }
    case .form: endForm()
    case .p:
      if !hasInScope([.p], within: HTMLTag.buttonScope) { insert(.p) }
      closeParagraph()
    case .li:
      if hasInScope([.li], within: HTMLTag.listScope) { close(through: [.li]) }
    case .h1, .h2, .h3, .h4, .h5, .h6:
      if hasInScope(HTMLTag.headings) { close(through: HTMLTag.headings) }
    case .applet, .marquee, .object:
      guard hasInScope([tag.tag]) else { break }
      close(through: [tag.tag])
      clearToMarker()
    case .br:
      reopenFormatting()
      insertVoid(Tag(tag: .br, name: tag.name))
      allowsFrameset = false
    case let name where HTMLTag.formatting.contains(name): endFormatting(tag)
    default: endOther(tag)
    }
    return .done
  }

  private mutating func endForm() {
    if isOpen(.template) {
      if hasInScope([.form]) { close(through: [.form]) }
      return
    }
    let node = form
    form = -1
    guard node >= 0, isInScope(node) else { return }
    closeImplied()
    open.removeAll { $0 == node }
  }
}
