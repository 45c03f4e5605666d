import FeedParsing

extension ItemArena {
  /// Returns every guid by which the store may know an item (guide of this module, "Article identity"): its id and its link, its
  /// link at other addresses, the guids that separate it from items with the same id, and those of an item without both.
  func possibleGuids(of items: borrowing ParsedItemBatch, _ links: LinkIdentity) -> [[UInt8]] {
    var arena = self
    var guids: [[UInt8]] = []
    for item in items.items {
      if let identity = item.id ?? item.url {
        guids.append(text(of: identity))
        guids += links.others(bytes.span.extracting(identity.range))
        if item.id != nil, let url = item.url { guids.append(text(of: url)) }
        for parts in [SharedGuid.Parts.link, .all] {
          if let shared = sharedGuid(of: item, links, parts) { guids.append(Array(shared.text.utf8)) }
        }
      } else {
        for guid in [
          item.isKnownByText ? arena.titleGuid(of: item) : nil, arena.undatedTitleGuid(of: item),
          arena.guid(of: item, in: items),
        ] {
          if let guid { guids.append(arena.text(of: guid)) }
        }
      }
    }
    return guids
  }
}
