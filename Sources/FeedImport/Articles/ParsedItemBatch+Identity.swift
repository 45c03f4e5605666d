public import FeedParsing

extension ParsedItemBatch {
  /// Gives items without id and address the id under which an import stores them: each JSON Feed item needs
  /// one. An item without content gets none.
  public mutating func identifyItems() {
    guard items.contains(where: { $0.id == nil && $0.url == nil }) else { return }
    var arena = ItemArena(bytes)
    bytes = []
    for index in items.indices where items[index].id == nil && items[index].url == nil {
      items[index].id = arena.guid(of: items[index], in: self)
    }
    bytes = arena.bytes
  }
}
