/// Formatting elements, which are opened again after a block that was closed with them.
extension HTMLTreeBuilder {
  /// A formatting element that is opened again after a block ends.
  struct Formatting {
    /// The element, or -1 for a marker: the beginning of a cell, an object and the like.
    var node: Index
    var tag = HTMLTag.other
    var attributes: UInt64 = 0
  }

  /// The maximum number of formatting elements to open again.
  private static let mostFormatting = 32

  mutating func noteFormatting(_ node: Index, _ tag: Tag) {
    let start = formatting.lastIndex { $0.node < 0 }.map { $0 + 1 } ?? 0
    // Only three equal elements are kept.
    let equal = formatting[start...].indices.filter {
      formatting[$0].tag == tag.tag && formatting[$0].attributes == tag.hash
    }
    if equal.count >= 3 {
      formatting.remove(at: equal[0])
    } else if formatting.count - start >= Self.mostFormatting {
      formatting.remove(at: start)
    }
    formatting.append(Formatting(node: node, tag: tag.tag, attributes: tag.hash))
  }

  mutating func addMarker() { formatting.append(Formatting(node: -1)) }

  mutating func clearToMarker() {
    while let last = formatting.popLast(), last.node >= 0 {}
  }

  /// Opens the formatting elements again that were closed with a block.
  mutating func reopenFormatting() {
    guard copies > 0, let last = formatting.last, last.node >= 0, !isOpen(last.node) else { return }
    var index = formatting.count - 1
    while index > 0, formatting[index - 1].node >= 0, !isOpen(formatting[index - 1].node) { index -= 1 }
    while index < formatting.count, open.count < Self.deepest {
      guard let node = copy(formatting[index].node) else { return }
      let place = place()
      tree.insert(node, in: place.parent, before: place.before)
      open.append(node)
      formatting[index].node = node
      index += 1
    }
  }

  /// Removes an element that is closed before its formatting ended.
  mutating func forget(_ node: Index) {
    if let entry = entry(of: node) { formatting.remove(at: entry) }
    if let level = open.lastIndex(of: node) { open.remove(at: level) }
  }

  /// Returns an element's index in the list of formatting elements, after the last marker.
  private func entry(of node: Index) -> Int? {
    for entry in formatting.indices.reversed() {
      if formatting[entry].node == node { return entry }
      if formatting[entry].node < 0 { return nil }
    }
    return nil
  }

  /// Ends a formatting element, even if blocks that began in it are open: the "adoption agency algorithm"
  /// (13.2.6.4.7).
  mutating func endFormatting(_ tag: Tag) {
    if currentTag == tag.tag, let current, entry(of: current) == nil {
      pop()
      return
    }
    for _ in 0..<8 {
      let start = formatting.lastIndex { $0.node < 0 }.map { $0 + 1 } ?? 0
      guard let entry = formatting[start...].lastIndex(where: { $0.tag == tag.tag }) else {
        endOther(tag)
        return
      }
      let element = formatting[entry].node
      guard let level = open.lastIndex(of: element) else {
        formatting.remove(at: entry)
        return
      }
      guard isInScope(element) else { return }
      guard let block = open[(level + 1)...].firstIndex(where: { isSpecial($0) }) else {
        open.removeLast(open.count - level)
        formatting.remove(at: entry)
        return
      }
      guard adopt(element, at: level, entry: entry, by: block) else { return }
    }
  }

  /// Moves a block's content out of the formatting element in which the block began.
  private mutating func adopt(_ element: Index, at level: Int, entry: Int, by blockLevel: Int) -> Bool {
    let block = open[blockLevel]
    let ancestor = open[max(level - 1, 0)]
    var bookmark = entry
    var last = block
    var place = blockLevel
    var rounds = 0
    while true {
      place -= 1
      let node = open[place]
      if node == element { break }
      rounds += 1
      var listed = self.entry(of: node)
      if rounds > 3, let found = listed {
        formatting.remove(at: found)
        if found < bookmark { bookmark -= 1 }
        listed = nil
      }
      guard let listed, let other = copy(node) else {
        open.remove(at: place)
        continue
      }
      formatting[listed].node = other
      open[place] = other
      if last == block { bookmark = listed + 1 }
      tree.remove(last)
      tree.append(last, to: other)
      last = other
    }
    tree.remove(last)
    let target = self.place(in: ancestor)
    tree.insert(last, in: target.parent, before: target.before)
    guard let other = copy(element), let old = self.entry(of: element) else {
      forget(element)
      return false
    }
    tree.moveChildren(of: block, to: other)
    tree.append(other, to: block)
    var entry = formatting.remove(at: old)
    if old < bookmark { bookmark -= 1 }
    entry.node = other
    formatting.insert(entry, at: min(bookmark, formatting.count))
    if let level = open.lastIndex(of: element) { open.remove(at: level) }
    if let level = open.lastIndex(of: block) { open.insert(other, at: level + 1) }
    return true
  }

  /// Returns a copy of an element without its content; nil if the document has too many copies.
  private mutating func copy(_ node: Index) -> Index? {
    guard copies > 0 else { return nil }
    copies -= 1
    let original = tree.nodes[Int(node)]
    tree.nodes.append(HTMLTree.Node(tag: original.tag, name: original.name, content: original.content))
    return Index(tree.nodes.count - 1)
  }
}
