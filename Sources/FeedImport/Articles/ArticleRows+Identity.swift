import FeedParsing
import ManagedContext
import NewsModel

/// Finds the stored article that an item represents.
extension ArticleRows {
  /// The identities that several items share, and the items that the store lacks.
  struct Repeats {
    /// The hashes of ids, and of links for items without an id.
    var identities: Set<UInt64> = []
    /// The guids by id and link; see ``SharedGuid``.
    var links: Set<UInt64> = []
    /// The indexes of items that the store lacks under their id or link, or that have neither.
    var unknown: [Int] = []
  }

  /// Returns each item's content hash, and the identities that several items share.
  mutating func prepare(
    _ items: borrowing ParsedItemBatch, _ arena: ItemArena
  ) -> (contentHashes: [Int64], Repeats) {
    var contentHashes: [Int64] = []
    contentHashes.reserveCapacity(items.items.count)
    var seen = Set<UInt64>(minimumCapacity: items.items.count)
    var repeats = Repeats()
    for (place, item) in items.items.enumerated() {
      contentHashes.append(arena.contentHash(of: item, in: items, using: &hash))
      guard let identity = item.identity else {
        if known.hasStored { repeats.unknown.append(place) }
        continue
      }
      let hash = arena.hash(of: identity)
      if !seen.insert(hash).inserted { repeats.identities.insert(hash) }
      if known.hasStored, !known.has(hash) { repeats.unknown.append(place) }
    }
    guard !repeats.identities.isEmpty else { return (contentHashes, repeats) }
    var seenLinks: Set<UInt64> = []
    for item in items.items {
      if let link = arena.sharedGuid(of: item, links, .link)?.hash, !seenLinks.insert(link).inserted {
        repeats.links.insert(link)
      }
    }
    return (contentHashes, repeats)
  }

  /// Reads the stored articles that items seem to edit, but that may be different articles:
  /// - with the same id, if the document came from another address, or if articles in the feed shared an id
  /// - with an id or link that several items have, if the article came from another program
  /// - with the same title, if the article came from another program and has neither
  /// - with an item's link as guid: the feed, or the article's source, had no id
  mutating func doubtfulArticles(
    _ items: borrowing ParsedItemBatch, _ contentHashes: [Int64], _ repeats: Repeats,
    _ arena: inout ItemArena,
    _ read: ([Int64]) throws(StoreError) -> StoredArticles
  ) throws(StoreError) -> StoredArticles {
    guard !hasStoredGuids, known.hasStored else { return StoredArticles() }
    var keys: [Int64] = []
    for place in repeats.unknown {
      let item = items.items[place]
      if item.id != nil, let url = item.url {
        if let linked = known.stored(arena.hash(of: url)) { keys.append(linked.key) }
      } else if let title = arena.undatedTitleGuid(of: item), let stored = known.stored(arena.hash(of: title))
      {
        keys.append(stored.key)
      }
    }
    let isDoubtful = origin.isElsewhere || known.hasShared
    guard isDoubtful || !repeats.identities.isEmpty else {
      return try keys.isEmpty ? StoredArticles() : read(keys)
    }
    for (place, item) in items.items.enumerated() {
      guard let identity = item.identity else { continue }
      let guid = arena.hash(of: identity)
      guard let stored = known.stored(guid), stored.contentHash != contentHashes[place] else { continue }
      let isIncomplete = stored.contentHash == KnownArticles.incomplete && repeats.identities.contains(guid)
      if isDoubtful && item.id != nil || isIncomplete { keys.append(stored.key) }
    }
    return try keys.isEmpty ? StoredArticles() : read(keys)
  }

  /// Returns whether an item is new, edited or known, and the guid to store it by; nil without content.
  ///
  /// The rule is in this module's guide, "Article identity".
  mutating func judge(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, contentHash: Int64, _ repeats: Repeats,
    _ doubtful: StoredArticles, _ arena: inout ItemArena
  ) -> (KnownArticles.Standing, ByteSlice)? {
    guard let identity = item.identity else {
      return judgeByText(item, of: items, contentHash: contentHash, doubtful, &arena)
    }
    let guid = arena.hash(of: identity)
    if known.isInResponse(guid, contentHash: contentHash) { return (.repeated, identity) }
    let isAmbiguous = !hasStoredGuids && (repeats.identities.contains(guid) || known.isInResponse(guid))
    let stored = known.stored(guid)
    let wouldEdit = stored.map { $0.contentHash != contentHash } ?? false
    if !hasStoredGuids, isAmbiguous || known.hasShared || (wouldEdit && known.deleted != nil),
      let judged = judgeShared(
        item, of: items, contentHash: contentHash, repeats, onlyIfKnown: true, &arena)
    {
      return judged
    }
    // If several items have one identity, the stored article is the item with the same content.
    let isStored = stored.map { stored in
      isAmbiguous
        ? hasContent(stored.contentHash, item, items, contentHash, &arena)
          || isIncomplete(item, stored.contentHash, doubtful[stored.key], arena)
        : !isOther(item, doubtful[stored.key], arena)
    }
    if !(isStored ?? !isAmbiguous) {
      return judgeShared(item, of: items, contentHash: contentHash, repeats, &arena)
    }
    if stored == nil, let linked = judgeByLink(item, of: items, contentHash: contentHash, doubtful, &arena) {
      return linked
    }
    if stored == nil, known.hasStored || known.deleted != nil,
      let moved = judgeMoved(item, identity, of: items, contentHash: contentHash, &arena)
    {
      return moved
    }
    return (judge(guid, item, of: items, contentHash: contentHash, &arena), identity)
  }

  private mutating func judge(
    _ guid: UInt64, _ item: ParsedItem, of items: borrowing ParsedItemBatch, contentHash: Int64,
    _ arena: inout ItemArena
  ) -> KnownArticles.Standing {
    let isAdopted =
      known.stored(guid).map {
        $0.contentHash != contentHash
          && ($0.contentHash == KnownArticles.incomplete
            || hasContent($0.contentHash, item, items, contentHash, &arena))
      } ?? false
    return known.judge(guid: guid, contentHash: contentHash, isAdopted: isAdopted)
  }

  /// Returns whether a stored hash covers an item's content: as it is, as an earlier version hashed it, or
  /// with another of the link's addresses (``LinkIdentity``).
  private mutating func hasContent(
    _ stored: Int64, _ item: ParsedItem, _ items: borrowing ParsedItemBatch, _ contentHash: Int64,
    _ arena: inout ItemArena
  ) -> Bool {
    if stored == contentHash || hasFormerHash(stored, item, items, arena) { return true }
    guard let url = item.url else { return false }
    for other in links.others(arena.bytes.span.extracting(url.range)) {
      var former = item
      former.url = arena.append(other)
      if stored == arena.contentHash(of: former, in: items, using: &hash)
        || hasFormerHash(stored, former, items, arena)
      {
        return true
      }
    }
    return false
  }

  private mutating func hasFormerHash(
    _ stored: Int64, _ item: ParsedItem, _ items: borrowing ParsedItemBatch, _ arena: ItemArena
  ) -> Bool {
    for version in ItemArena.HashVersion.former
    where stored == arena.contentHash(of: item, in: items, version, using: &hash) {
      return true
    }
    return false
  }

  /// Judges an item with a new id by the stored article that has its link as guid, for lack of an id; nil
  /// without such an article.
  ///
  /// Other articles may have the link. So the titles must match, unless another program is the source.
  private mutating func judgeByLink(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, contentHash: Int64, _ doubtful: StoredArticles,
    _ arena: inout ItemArena
  ) -> (KnownArticles.Standing, ByteSlice)? {
    guard known.hasStored, !hasStoredGuids, item.id != nil, let url = item.url else { return nil }
    let guid = arena.hash(of: url)
    if linked.contains(guid), known.isInResponse(guid, contentHash: contentHash) { return (.repeated, url) }
    guard let stored = known.stored(guid), let old = doubtful[stored.key],
      stored.contentHash == KnownArticles.incomplete || hasTitle(of: old, item, arena)
    else { return nil }
    linked.insert(guid)
    return (judge(guid, item, of: items, contentHash: contentHash, &arena), url)
  }

  private func hasTitle(of stored: ArticleVersion, _ item: ParsedItem, _ arena: ItemArena) -> Bool {
    let title = item.title.map { arena.bytes[$0.range] }
    return stored.text(Article.schema.title.index).map { title?.elementsEqual($0) ?? false } ?? (title == nil)
  }

  /// Judges an item without an id and a link.
  private mutating func judgeByText(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, contentHash: Int64, _ doubtful: StoredArticles,
    _ arena: inout ItemArena
  ) -> (KnownArticles.Standing, ByteSlice)? {
    // An article from another program is known by its title alone; see ``ItemArena/titleGuid(_:)``.
    if let title = arena.undatedTitleGuid(of: item) {
      let guid = arena.hash(of: title)
      if known.isInResponse(guid, contentHash: contentHash) { return (.repeated, title) }
      let date = item.published ?? item.modified
      if let stored = known.stored(guid), let old = doubtful[stored.key],
        old.number(Article.schema.published.index) == date
          || old.number(Article.schema.modified.index) == date
      {
        return (judge(guid, item, of: items, contentHash: contentHash, &arena), title)
      }
    }
    // Earlier versions identified such an article by fewer fields: a stored article keeps its guid.
    if item.isKnownByText {
      let title = arena.titleGuid(of: item)
      let guid = arena.hash(of: title)
      if known.isInResponse(guid, contentHash: contentHash) { return (.repeated, title) }
      if let stored = known.stored(guid),
        stored.contentHash == KnownArticles.incomplete
          || hasContent(stored.contentHash, item, items, contentHash, &arena)
      {
        return (judge(guid, item, of: items, contentHash: contentHash, &arena), title)
      }
    }
    guard let guid = arena.guid(of: item, in: items) else { return nil }
    return (judge(arena.hash(of: guid), item, of: items, contentHash: contentHash, &arena), guid)
  }

  /// Judges an item by ``SharedGuid``.
  ///
  /// - Parameter onlyIfKnown: True to return nil for an item that is not stored, in the response, or deleted.
  private mutating func judgeShared(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, contentHash: Int64, _ repeats: Repeats,
    onlyIfKnown: Bool = false, _ arena: inout ItemArena
  ) -> (KnownArticles.Standing, ByteSlice)? {
    guard let whole = arena.sharedGuid(of: item, links, .all) else { return nil }
    var chosen = whole
    if !isKnown(whole.hash) {
      if let link = arena.sharedGuid(of: item, links, .link),
        isSame(item, link.hash, of: items, contentHash: contentHash, repeats, &arena)
      {
        chosen = link
      }
      guard !onlyIfKnown || isKnown(chosen.hash) else { return nil }
    }
    let standing = judge(chosen.hash, item, of: items, contentHash: contentHash, &arena)
    return (standing, arena.append(chosen.text.utf8))
  }

  private mutating func isKnown(_ guid: UInt64) -> Bool {
    known.stored(guid) != nil || known.isInResponse(guid) || known.wasDeleted(guid)
  }

  /// Returns whether an item is the article with this guid by id and link: no other item in its document has
  /// that guid, or the contents match.
  private mutating func isSame(
    _ item: ParsedItem, _ link: UInt64, of items: borrowing ParsedItemBatch, contentHash: Int64,
    _ repeats: Repeats, _ arena: inout ItemArena
  ) -> Bool {
    if known.isInResponse(link) { return known.isInResponse(link, contentHash: contentHash) }
    if !repeats.links.contains(link) { return true }
    return known.stored(link).map { hasContent($0.contentHash, item, items, contentHash, &arena) } ?? false
  }

  /// Judges an item by other addresses that its link may have had (``LinkIdentity``); nil if all are unknown.
  private mutating func judgeMoved(
    _ item: ParsedItem, _ identity: ByteSlice, of items: borrowing ParsedItemBatch, contentHash: Int64,
    _ arena: inout ItemArena
  ) -> (KnownArticles.Standing, ByteSlice)? {
    for other in links.others(arena.bytes.span.extracting(identity.range)) {
      let guid = ContentHash.of(other.span)
      if known.stored(guid) != nil {
        return (judge(guid, item, of: items, contentHash: contentHash, &arena), arena.append(other))
      }
      if known.wasDeleted(guid) { return (.unchanged, identity) }
    }
    return nil
  }

  /// Returns whether another program's stored article is this item, although other items share its id or
  /// link: both have the same title.
  private func isIncomplete(
    _ item: ParsedItem, _ contentHash: Int64, _ stored: ArticleVersion?, _ arena: ItemArena
  ) -> Bool {
    guard contentHash == KnownArticles.incomplete, let stored else { return false }
    return hasTitle(of: stored, item, arena)
  }

  /// Returns whether a stored article with an item's id is another article: neither link nor title matches,
  /// nor the date if one has no link. False if the id is not in doubt.
  private func isOther(_ item: ParsedItem, _ stored: ArticleVersion?, _ arena: ItemArena) -> Bool {
    guard let stored, item.id != nil else { return false }
    if let title = item.title, title.count > 0,
      let old = stored.text(Article.schema.title.index), old.elementsEqual(arena.bytes[title.range])
    {
      return false
    }
    guard let url = item.url, let old = stored.text(Article.schema.url.index) else {
      return item.published == nil || item.published != stored.number(Article.schema.published.index)
    }
    return links.key(arena.bytes.span.extracting(url.range)) != links.key(old.span)
  }
}

extension ParsedItem {
  /// The publisher's identity for the item: its id, else its link; nil without both.
  fileprivate var identity: ByteSlice? { id ?? url }
}
