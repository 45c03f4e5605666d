internal import Markup

/// The meaning of an element for the writers. They all decide it here, so that they agree.
extension HTMLTree {
  enum Meaning {
    /// Neither the element nor its content is shown.
    case hidden
    /// The content is shown.
    case content
    /// A picture or a file. If `showsContent` is true, its content is also shown.
    case reference(Reference, showsContent: Bool)
    /// A text instead of the content: mathematics that describes itself.
    case text(Slice)
    /// An item in a list of tasks.
    case checkbox(isChecked: Bool)
    /// HTML that replaces a frame without an address.
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
      if tag == .annotation || tag == .annotationXML || tag == .mphantom { return .hidden }
      // Only one part of an action is shown at a time.
      if node.parent > 0, nodes[Int(node.parent)].tag == .maction, place(of: index) > 0 { return .hidden }
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
      // No writer can show an object, so its content is shown in any case.
      guard let address = slice(of: .data, at: index), !isBlank(address) else { return .content }
      return .reference(Reference(kind: tag, address: address, words: words(of: index)), showsContent: true)
    case .input:
      guard let slice = slice(of: .type, at: index) else { return .hidden }
      let type = text.span.extracting(slice.range)
      if type.equalsIgnoringCase("image") { return picture(index) }
      return type.equalsIgnoringCase("checkbox")
        ? .checkbox(isChecked: has(.checked, at: index)) : .hidden
    case .area:
      let words = words(of: index)
      guard !words.isEmpty else { return .hidden }
      let address = slice(of: .href, at: index).flatMap { isBlank($0) ? nil : $0 }
      return .reference(Reference(kind: .area, address: address, words: words), showsContent: false)
    case .noscript: return isRedundant(noscript: index) ? .hidden : .content
    default: return .content
    }
  }

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
    let isTiny = ([.width, .height] as [HTMLAttribute]).contains { name in
      guard let size = slice(of: name, at: index), size.count > 0 else { return false }
      let bytes = text.span.extracting(size.range)
      let digit = bytes[0] == UInt8(ascii: "0") || bytes[0] == UInt8(ascii: "1")
      return digit && (bytes.count == 1 || bytes.hasPrefix("px", at: 1))
    }
    guard !isTiny, let style = slice(of: .style, at: index) else { return isTiny }
    return InlineStyle(text.span.extracting(style.range).text).isTiny
  }

  /// Returns a picture's address, even if a script would load it later or if it is for another size.
  private func addressOfPicture(_ index: Index) -> Slice? {
    if let address = address(of: index) { return address }
    for name in [.lazySrcset, .srcset] as [HTMLAttribute] {
      if let address = slice(of: name, at: index).flatMap(largest) { return address }
    }
    // The other sources of a "picture" precede its "img".
    var previous = nodes[Int(index)].previous
    for _ in 0..<Self.searched where previous > 0 {
      if nodes[Int(previous)].tag == .source {
        for name in [.lazySrcset, .srcset, .src] as [HTMLAttribute] {
          if let address = slice(of: name, at: previous).flatMap(largest) { return address }
        }
      } else if nodes[Int(previous)].tag != nil {
        break
      }
      previous = nodes[Int(previous)].previous
    }
    // A useless address is better than no address.
    return slice(of: .src, at: index).flatMap { isBlank($0) || isPlaceholder($0) ? nil : $0 }
  }

  /// Returns an element's address; nil for a placeholder. The address that a script would load comes first,
  /// because another one is only shown until then.
  private func address(of index: Index) -> Slice? {
    for name in [.lazySrc, .src] as [HTMLAttribute] {
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

  /// Returns the address of the largest picture in a `srcset` (HTML Standard, section 4.8.4.2). If several
  /// have the largest number, it is the first.
  private func largest(in list: Slice) -> Slice? {
    var best: (address: Slice, size: Double)?
    var place = list.range.lowerBound
    let end = list.range.upperBound
    while place < end {
      while place < end, text[place].isHTMLSpace || text[place] == UInt8(ascii: ",") { place += 1 }
      let start = place
      while place < end, !text[place].isHTMLSpace { place += 1 }
      var last = place
      while last > start, text[last - 1] == UInt8(ascii: ",") { last -= 1 }
      // A comma after the address ends its candidate.
      let sizeStart = place
      if last == place {
        while place < end, text[place] != UInt8(ascii: ",") { place += 1 }
      }
      let address = Slice(start: Int32(start), count: Int32(last - start))
      guard last > start, !isPlaceholder(address) else { continue }
      let size = Self.size(text[sizeStart..<place])
      if best.map({ $0.size < size }) ?? true { best = (address, size) }
    }
    return best?.address
  }

  /// Returns the number in a size such as `640w` or `1.5x`; 1 without one.
  private static func size(_ text: ArraySlice<UInt8>) -> Double {
    let digits = text.drop(while: \.isHTMLSpace).prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    return Double(String(decoding: digits, as: UTF8.self)) ?? 1
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

  /// The maximum number of nodes to search for a picture, so that time grows only linearly with the document.
  private static let searched = 64

  /// Returns whether a `noscript` shows a picture that an element beside it shows.
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

  /// Returns the node after another one in document order, inside an element; nil for the last one.
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
