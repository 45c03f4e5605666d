public import FeedParsing

extension ParsedItemBatch {
  /// Gives the items that have neither an id nor an address the id under which an import keeps them, because each item
  /// of a JSON Feed must have one. An item in which nothing is stays without.
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
