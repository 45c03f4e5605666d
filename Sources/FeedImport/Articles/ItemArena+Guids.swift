import FeedParsing

extension ItemArena {
  /// Returns every guid that may identify the items in the store ("Article identity" in this module's guide):
  /// - the id, the link, and the link at other addresses
  /// - the guids that separate items with the same id, and those for items without id and link
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
