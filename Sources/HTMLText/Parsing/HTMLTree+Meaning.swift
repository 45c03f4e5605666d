internal import Markup

/// What the writers show for an element. They all decide it here, so that they know the same.
extension HTMLTree {
  enum Meaning {
    /// Neither the element nor its content is shown.
    case hidden
    /// The content is shown.
    case content
    /// A picture or a file. Its content is shown, too, if `showsContent` is true.
    case reference(Reference, showsContent: Bool)
    /// A text instead of the content: mathematics that describes itself.
    case text(Slice)
    /// An item of a list of tasks.
    case checkbox(isChecked: Bool)
    /// HTML that stands for a frame without an address.
    case fallback(Slice)
  }

  /// A picture, a video, a file or a page that an element shows.
  struct Reference {
    var kind: HTMLTag
    /// The address; nil for a picture that has only words.
    var address: Slice?
    /// The texts that describe it: `alt` and `title`, without empty and equal ones.
    var words: [Slice] = []
  }

  func meaning(of index: Index, _ tag: HTMLTag) -> Meaning {
    let node = nodes[Int(index)]
    if tag == .script || tag == .style || node.content.count > 0 && hidesItself(index) { return .hidden }
    switch node.namespace {
    case .svg: return .content
    case .math:
      if tag == .annotation || tag == .annotationXML { return .hidden }
      if tag == .math, let text = slice(of: .alttext, at: index), !isBlank(text) { return .text(text) }
      return .content
    case .html: return meaningOfHTML(index, tag)
    }
  }

  private func meaningOfHTML(_ index: Index, _ tag: HTMLTag) -> Meaning {
    switch tag {
    case .template, .head, .title, .noembed, .noframes, .datalist, .rp: return .hidden
    case .dialog: return has(.open, at: index) ? .content : .hidden
    case .img: return picture(index)
    case .video, .audio, .embed:
      guard let address = address(of: index) ?? addressOfSource(below: index) else { return .content }
      return .reference(Reference(kind: tag, address: address, words: words(of: index)), showsContent: false)
    case .iframe, .frame:
      if let address = address(of: index) {
        return .reference(
          Reference(kind: tag, address: address, words: words(of: index)), showsContent: false)
      }
      let content = nodes[Int(index)].first
      return content > 0 ? .fallback(nodes[Int(content)].content) : .hidden
    case .object, .applet:
      // Nothing here can show an object, so its content is shown in any case.
      guard let address = slice(of: .data, at: index), !isBlank(address) else { return .content }
      return .reference(Reference(kind: tag, address: address, words: words(of: index)), showsContent: true)
    case .input:
      guard let type = slice(of: .type, at: index),
        text.span.extracting(type.range).equalsIgnoringCase("checkbox")
      else { return .hidden }
      return .checkbox(isChecked: has(.checked, at: index))
    case .noscript: return isRedundant(noscript: index) ? .hidden : .content
    default: return .content
    }
  }

  /// Returns the sign before an element of MathML: its place in a fraction or in an index, which has no text of its own.
  func sign(before index: Index) -> UInt8? {
    let node = nodes[Int(index)]
    guard node.namespace == .math, node.parent > 0,
      let sign = Self.signs[nodes[Int(node.parent)].tag ?? .other]
    else {
      return nil
    }
    var previous = node.previous
    while previous > 0, nodes[Int(previous)].tag == nil { previous = nodes[Int(previous)].previous }
    return previous > 0 ? sign : nil
  }

  private static let signs: [HTMLTag: UInt8] = [
    .msup: UInt8(ascii: "^"), .msub: UInt8(ascii: "_"), .mfrac: UInt8(ascii: "/"),
  ]

  // MARK: Hidden elements

  private func hidesItself(_ index: Index) -> Bool {
    for attribute in attributes[nodes[Int(index)].content.range] {
      switch attribute.name {
      case .hidden: return true
      case .style: if hides(attribute.value) { return true }
      default: break
      }
    }
    return false
  }

  /// Returns whether a style hides an element.
  private func hides(_ style: Slice) -> Bool {
    let bytes = text.span.extracting(style.range)
    guard
      bytes.containsIgnoringCase("none") || bytes.containsIgnoringCase("hidden")
        || bytes.containsIgnoringCase("collapse")
    else { return false }
    return InlineStyle(bytes.text).hidesContent
  }

  // MARK: Pictures and files

  private func picture(_ index: Index) -> Meaning {
    if isTrackingPixel(index) { return .hidden }
    let reference = Reference(kind: .img, address: addressOfPicture(index), words: words(of: index))
    return reference.address == nil && reference.words.isEmpty
      ? .hidden : .reference(reference, showsContent: false)
  }

  /// Returns whether a picture is at most one pixel wide or high: it counts readers and shows nothing.
  private func isTrackingPixel(_ index: Index) -> Bool {
    ([.width, .height] as [HTMLAttribute]).contains { name in
      guard let size = slice(of: name, at: index), size.count > 0 else { return false }
      let bytes = text.span.extracting(size.range)
      let digit = bytes[0] == UInt8(ascii: "0") || bytes[0] == UInt8(ascii: "1")
      return digit && (bytes.count == 1 || bytes.hasPrefix("px", at: 1))
    }
  }

  /// Returns a picture's address: also one that a script would load later, or one of its other sizes.
  private func addressOfPicture(_ index: Index) -> Slice? {
    if let address = address(of: index) { return address }
    for name in [.srcset, .dataSrcset] as [HTMLAttribute] {
      if let address = slice(of: name, at: index).flatMap(firstAddress) { return address }
    }
    // The other sources of a "picture" precede its "img".
    var previous = nodes[Int(index)].previous
    for _ in 0..<Self.searched where previous > 0 {
      if nodes[Int(previous)].tag == .source {
        for name in [.srcset, .dataSrcset, .src] as [HTMLAttribute] {
          if let address = slice(of: name, at: previous).flatMap(firstAddress) { return address }
        }
      } else if nodes[Int(previous)].tag != nil {
        break
      }
      previous = nodes[Int(previous)].previous
    }
    // An address of no use is better than none.
    return slice(of: .src, at: index).flatMap { isBlank($0) || isPlaceholder($0) ? nil : $0 }
  }

  /// Returns an element's address; nil for a placeholder.
  private func address(of index: Index) -> Slice? {
    for name in [.src, .dataSrc, .dataOriginal, .dataLazySrc] as [HTMLAttribute] {
      if let address = slice(of: name, at: index), !isBlank(address), !isPlaceholder(address) {
        return address
      }
    }
    return nil
  }

  private func isPlaceholder(_ address: Slice) -> Bool {
    let bytes = text.span.extracting(address.range)
    return bytes.hasPrefixIgnoringCase("data:", at: bytes.skippingSpace(from: 0))
      || bytes.hasPrefixIgnoringCase("about:", at: bytes.skippingSpace(from: 0))
  }

  /// Returns the first address of a `srcset`.
  private func firstAddress(in list: Slice) -> Slice? {
    var start = list.range.lowerBound
    while start < list.range.upperBound, text[start].isHTMLSpace || text[start] == UInt8(ascii: ",") {
      start += 1
    }
    var end = start
    while end < list.range.upperBound, !text[end].isHTMLSpace { end += 1 }
    while end > start, text[end - 1] == UInt8(ascii: ",") { end -= 1 }
    let address = Slice(start: Int32(start), count: Int32(end - start))
    return end > start && !isPlaceholder(address) ? address : nil
  }

  private func addressOfSource(below index: Index) -> Slice? {
    var child = nodes[Int(index)].first
    while child > 0 {
      if nodes[Int(child)].tag == .source, let address = address(of: child) { return address }
      child = nodes[Int(child)].next
    }
    return nil
  }

  private func words(of index: Index) -> [Slice] {
    var words: [Slice] = []
    for name in [.alt, .title] as [HTMLAttribute] {
      guard let slice = slice(of: name, at: index), !isBlank(slice) else { continue }
      if !words.contains(where: { text[$0.range] == text[slice.range] }) { words.append(slice) }
    }
    return words
  }

  func isBlank(_ slice: Slice) -> Bool { text[slice.range].allSatisfy(\.isHTMLSpace) }

  // MARK: Without scripts

  /// The most nodes that are searched for a picture, so that time grows only with the size of the document.
  private static let searched = 64

  /// Returns whether the content of a `noscript` shows a picture that an element beside it shows.
  private func isRedundant(noscript index: Index) -> Bool {
    guard showsPicture(index) else { return false }
    var (previous, next) = (nodes[Int(index)].previous, nodes[Int(index)].next)
    if previous > 0, nodes[Int(previous)].tag == nil { previous = nodes[Int(previous)].previous }
    if next > 0, nodes[Int(next)].tag == nil { next = nodes[Int(next)].next }
    return showsPicture(previous) || showsPicture(next)
  }

  private func showsPicture(_ root: Index) -> Bool {
    guard root > 0 else { return false }
    var node = root
    for _ in 0..<Self.searched {
      if nodes[Int(node)].tag == .img, addressOfPicture(node) != nil, !isTrackingPixel(node) { return true }
      guard let next = following(node, in: root) else { return false }
      node = next
    }
    return false
  }

  /// Returns the node after another one in the order of the document, inside an element; nil for the last one.
  func following(_ index: Index, in root: Index) -> Index? {
    if nodes[Int(index)].first > 0 { return nodes[Int(index)].first }
    var node = index
    while node != root, node > 0 {
      if nodes[Int(node)].next > 0 { return nodes[Int(node)].next }
      node = nodes[Int(node)].parent
    }
    return nil
  }
}
