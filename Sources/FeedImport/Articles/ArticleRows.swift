package import FeedParsing
package import Foundation
package import ManagedContext
package import NewsModel

/// The rows that a response adds to the store: its new and edited articles, as batches.
///
/// The parser's arena becomes the batch's arena. Texts are not copied, and never become a `String`.
package struct ArticleRows: ~Copyable {
  private(set) var inserted = 0
  private(set) var edited = 0
  /// The number of articles whose markup changed, without an edit.
  private(set) var markupChanges = 0
  /// The number of articles whose dates alone changed.
  private(set) var dateChanges = 0
  /// The number of stored articles that have changed in any way that readers see.
  var changes: Int { edited + markupChanges + dateChanges }
  /// The number of articles that the user's filter excluded.
  private(set) var skipped = 0
  /// The number of items with the guid, link, title and date of another item.
  private(set) var joined = 0
  /// The number of articles, including known ones.
  private var listed = 0
  /// The articles as the schedule sees them; nil without one.
  var document: NewsWindow.Document? {
    listed == 0 ? nil : NewsWindow.Document(articles: listed, new: inserted, dates: dates)
  }
  /// The dates of the articles, including known ones.
  private(set) var dates = PublishingInterval.Sample()

  private let feed: ManagedObjectID
  private let entity: EntityIndex
  private let now: Date
  private let filter: ArticleFilter?
  private let volatile: AttributeSet
  private let origin: DocumentOrigin
  private let answer: AnswerNumber
  private let links: LinkIdentity
  private let hasStoredGuids: Bool
  private var known: KnownArticles
  /// The hashes of the links under which the store has items with other ids.
  private var linked: Set<UInt64> = []
  private var hash = ContentHash()
  private var order = DocumentOrder()
  /// The time that the document states for itself, as far as it was read.
  private var time: StatedTime

  private static let columns = Article.Key.columns
  private static let unique = [Article.Key.feed.index, Article.Key.guid.index]
  /// The attributes that an article keeps when its content changes.
  static let kept = [
    Article.Key.imported.index, Article.Key.edits.index, Article.Key.sequence.index,
  ]

  /// The attributes that an article keeps when only its dates change, so that the written ones show the kind of change.
  private static let keptByDates = columns.filter { column in
    ![
      Article.Key.timelineDate.index, Article.Key.published.index, Article.Key.modified.index,
      Article.Key.contentHash.index, Article.Key.lastChange.index, Article.Key.stated.index,
    ].contains(column)
  }

  /// The attributes that an article keeps when volatile fields change, so that the written ones show the kind of change. The
  /// story stays that of the first address, also if the address is volatile.
  private static let keptByVolatile = kept + [Article.Key.story.index]

  /// - Parameters:
  ///   - volatile: See ``ImportSelection/Settings/volatile``.
  ///   - answer: The place of the response among those of its feed.
  ///   - hasStoredGuids: True if the ids of the items are guids of a store: an item never gets a ``SharedGuid``.
  package init(
    feed: ManagedObjectID, known: KnownArticles, now: Date, filter: ArticleFilter? = nil,
    volatile: AttributeSet = [],
    origin: DocumentOrigin = DocumentOrigin(), answer: AnswerNumber = .ofFile, hasStoredGuids: Bool = false
  ) {
    (self.feed, self.answer, self.hasStoredGuids) = (feed, answer, hasStoredGuids)
    (self.filter, self.volatile) = (filter, volatile)
    self.origin = origin
    links = LinkIdentity(ofFeedAt: origin.addresses + known.formerAddresses)
    entity = NewsModel.Place.article
    self.known = known
    self.now = now
    time = StatedTime(
      document: nil, dates: [], at: Int64(now.timeIntervalSince1970), isAnswer: answer.number > 0)
  }

  /// Returns the changes of the feed's tombstones after its whole document was read; nil for none.
  func tombstoneCare(at now: Date) -> DeletedArticles.Care? { known.deleted?.care(at: now) }

  /// Returns the batches for some items of the response; empty if nothing is to be written.
  ///
  /// - Parameters:
  ///   - stored: Reads stored articles by their keys; called only if some of them have changed, or if the same id may mean
  ///     another article.
  ///   - time: The time that the document states for itself, in seconds since 1970; nil without one.
  ///   - versions: Reads the versions of stored articles by their keys; called only if the response has older texts of them.
  ///   - answer: Reads what is known of stored articles; called only for a feed with many of them.
  package mutating func rows(
    of items: consuming ParsedItemBatch, statedAt time: Int64? = nil,
    reading stored: ([Int64]) throws(StoreError) -> StoredArticles = { _ in StoredArticles() },
    versions: ([Int64]) throws(StoreError) -> EarlierVersions = { _ in EarlierVersions() },
    asking answer: (KnownArticles.Question) throws(StoreError) -> RowBatch = { _ in KnownArticles.noRows }
  ) throws(StoreError) -> [BatchUpsert] {
    if let filter {
      let kept = filter.kept(of: items)
      skipped += items.items.count - kept.count
      items.items = kept
    }
    var arena = ItemArena(items.bytes)
    items.bytes = []
    order.observe(items.items)
    self.time = StatedTime(
      document: time, dates: items.items.lazy.compactMap { $0.published ?? $0.modified }, after: dates.newest,
      at: Int64(now.timeIntervalSince1970), isAnswer: self.answer.number > 0)
    if !known.isComplete, let question = known.question(about: arena.possibleGuids(of: items, links)) {
      known.learn(try answer(question), from: question)
    }
    let (contentHashes, repeats) = prepare(items, arena)
    let doubtful = try doubtfulArticles(items, contentHashes, repeats, &arena, stored)
    var changed = Rows(entity: entity)
    var edits: [Edit] = []
    // Nearly all articles are new then. Cells that grow on demand would take up to twice the memory.
    if !known.hasStored { changed.batch.reserveCapacity(items.items.count) }
    if known.isEmpty { known.reserveCapacity(items.items.count) }
    for (place, item) in items.items.enumerated() where item.saysSomething {
      if let date = item.published ?? item.modified { dates.add(date) }
      let sequence = order.next(at: now)
      let judged = judge(
        item, of: items, contentHash: contentHashes[place], repeats, doubtful, &arena)
      guard let (standing, guid) = judged else { continue }
      listed += 1
      switch standing {
      case .unchanged: continue
      case .repeated:
        joined += 1
        listed -= 1
        continue
      case .new:
        inserted += 1
        changed.begin(guid: arena.hash(of: guid))
        append(item, of: items, guid, contentHashes[place], sequence, to: &changed.batch, &arena)
      case .edited(let key):
        edits.append(Edit(place: place, key: key, guid: guid, sequence: sequence))
      case .adopted(let key):
        edits.append(Edit(place: place, key: key, guid: guid, sequence: sequence, isAdopted: true))
      }
    }
    guard !edits.isEmpty else { return [batch(&changed, arena, .edit)].compactMap(\.self) }
    var (markup, dated) = (Rows(entity: entity), Rows(entity: entity))
    var (rewritten, adopted) = (Rows(entity: entity), Rows(entity: entity))
    let (changes, earlier) = try changes(edits, of: items, contentHashes, &arena, stored, versions)
    for (edit, cells, change) in changes {
      let guid = arena.hash(of: edit.guid)
      switch change {
      case .edit:
        edited += 1
        changed.begin(guid: guid, key: edit.key, cells)
      case .markup:
        markupChanges += 1
        markup.begin(guid: guid, key: edit.key, cells)
      case .dates:
        dateChanges += 1
        dated.begin(guid: guid, key: edit.key, cells)
      case .volatile: rewritten.begin(guid: guid, key: edit.key, cells)
      case nil: adopted.begin(guid: guid, key: edit.key, cells)
      }
    }
    return [
      batch(&changed, arena, .edit), batch(&markup, arena, .markup), batch(&dated, arena, .dates),
      batch(&rewritten, arena, .volatile), batch(&adopted, arena, nil),
    ].compactMap(\.self) + earlier
  }

  // MARK: Changes

  /// A stored article with another content hash than the item.
  private struct Edit {
    /// The item's index.
    let place: Int
    let key: Int64
    let guid: ByteSlice
    let sequence: Int64
    /// True if it is not a change of the article; see ``KnownArticles/Standing/adopted(key:)``.
    var isAdopted = false
  }

  /// A stored article, its new cells, and what the change means; nil if readers see no change.
  private typealias Change = (edit: Edit, cells: [RowBatch.Cell], change: ArticleChange?)

  /// Compares stored articles with their items.
  ///
  /// - Returns: The changes, and the versions that older texts become: those are no changes.
  private func changes(
    _ edits: [Edit], of items: borrowing ParsedItemBatch, _ contentHashes: [Int64], _ arena: inout ItemArena,
    _ read: ([Int64]) throws(StoreError) -> StoredArticles,
    _ versions: ([Int64]) throws(StoreError) -> EarlierVersions
  ) throws(StoreError) -> (changes: [Change], earlier: [BatchUpsert]) {
    var changes: [Change] = []
    var earlier: [BatchUpsert] = []
    for page in edits.chunks(of: Self.mostCompared) {
      let stored = try read(page.map(\.key))
      for edit in page {
        var cells = cells(
          of: items.items[edit.place], of: items, edit.guid, contentHashes[edit.place], edit.sequence, &arena)
        // Another process may have deleted the article.
        guard let old = stored[edit.key] else {
          changes.append((edit, cells, edit.isAdopted ? nil : .edit))
          continue
        }
        let new = ArticleVersion(cells: cells, bytes: arena.bytes)
        let kinds = edit.isAdopted ? [] : new.changes(from: old, volatile: volatile)
        let age = age(new, kinds, items.items[edit.place].publishedIsAnyDate, than: old)
        if age != .current {
          let known = kinds.isEdit ? try versions([edit.key]) : EarlierVersions()
          let isKnown = new.isKnown(of: edit.key, before: old, known, volatile: volatile)
          if age == .older || isKnown {
            if kinds.isEdit, !isKnown {
              earlier += new.version(of: edit.key, before: old, known, volatile: volatile, at: now)
            }
            continue
          }
        }
        cells[Article.Key.timelineDate.index] = .integer(timelineDate(new, replacing: old))
        let last = old.number(Article.Key.lastChange.index) ?? 0
        cells[Article.Key.lastChange.index] = .integer(kinds.isEmpty ? last : change(kinds, after: last))
        changes.append((edit, cells, ArticleChange(kinds)))
      }
    }
    return (changes, earlier)
  }

  /// Compares the text of a document with that of the store; see ``StatedTime``.
  ///
  /// - Parameters:
  ///   - kinds: The differences. A time that goes back alone is a correction: later texts have earlier times as well.
  ///   - isAnyDate: True if the date of publication may be the date of the last change.
  private func age(
    _ new: ArticleVersion, _ kinds: ChangeKinds, _ isAnyDate: Bool, than old: ArticleVersion
  ) -> StatedTime.Age {
    if kinds.isEmpty { return .current }
    let attributes = [Article.Key.modified.index] + (isAnyDate ? [Article.Key.published.index] : [])
    let stated = attributes.filter { !volatile.contains(AttributeSet(index: $0)) }
    func modified(_ article: ArticleVersion) -> Int64? { stated.lazy.compactMap(article.number).first }
    let (modified, former) = (modified(new), modified(old))
    if kinds == .dates, modified != nil || former != nil { return .current }
    return time.age(modified: modified, than: former, stated: old.number(Article.Key.stated.index))
  }

  /// Returns the ``Article/timelineDate`` of a stored article with new values. A date that the server changes with each fetch
  /// does not move the article.
  private func timelineDate(_ new: ArticleVersion, replacing old: ArticleVersion) -> Int64 {
    let (published, modified) = (Article.Key.published.index, Article.Key.modified.index)
    func dates(_ attribute: Int) -> ArticleVersion {
      volatile.contains(AttributeSet(index: attribute)) ? old : new
    }
    return Article.timelineDate(
      published: dates(published).number(published), modified: dates(modified).number(modified),
      imported: old.number(Article.Key.imported.index) ?? Int64(now.timeIntervalSince1970))
  }

  /// Returns the number that the store has of a change.
  ///
  /// - Parameter last: The number of the change before.
  private func change(_ kinds: ChangeKinds, after last: Int64) -> Int64 {
    let before = StoredChange(number: Int(last))
    return Int64(
      StoredChange(kinds, followsDirectly: answer.follows(before), answer: answer.number).number)
  }

  /// The number of stored articles that are in memory for a comparison. Each may have several MiB, whatever the document
  /// has.
  private static let mostCompared = 4

  /// The number of articles in one piece of a document above which they take less memory without empty columns. Smaller
  /// pieces keep all columns, because each set of columns has a statement of its own.
  private static let manyRows = 512

  /// Rows, and the hashes of their guids.
  private struct Rows {
    var batch: RowBatch
    var guids: [Int64] = []

    init(entity: EntityIndex) {
      batch = RowBatch(entity: entity, columns: ArticleRows.columns)
    }

    mutating func begin(guid: UInt64, key: Int64 = 0, _ cells: [RowBatch.Cell] = []) {
      guids.append(Int64(bitPattern: guid))
      batch.beginRow(key: key)
      for cell in cells { batch.append(cell) }
    }
  }

  private func batch(_ rows: inout Rows, _ arena: ItemArena, _ change: ArticleChange?) -> BatchUpsert? {
    guard rows.batch.count > 0 else { return nil }
    rows.batch.bytes = arena.bytes
    // So many articles in one piece of a document have hardly any text. Their cells are most of the memory, and most are
    // null. An update would need the nulls.
    if rows.batch.count >= Self.manyRows, !known.hasStored { rows.batch = rows.batch.withoutEmptyColumns() }
    var batch = BatchUpsert(
      rows.batch, unique: Self.unique, changeMark: Article.Key.contentHash.index,
      editCounter: change == .edit ? Article.Key.edits.index : nil,
      kept: Self.kept(by: change))
    batch.isReported = change != nil
    if known.hasStored || known.deleted != nil {
      batch.exclusion = .init(
        entity: NewsModel.Place.tombstone, attribute: Tombstone.Key.guidHash.index, values: rows.guids,
        shared: [(Tombstone.Key.feed.index, Article.Key.feed.index)])
    }
    return batch
  }

  private static func kept(by change: ArticleChange?) -> [Int] {
    switch change {
    case .dates: keptByDates
    case .volatile: keptByVolatile
    case .edit, .markup, nil: kept
    }
  }

  // MARK: Identity

  /// The identities that several items of a document share, and those that the store does not have.
  private struct Repeats {
    /// The hashes of ids, and of the links of items without an id.
    var identities: Set<UInt64> = []
    /// The guids by id and link; see ``SharedGuid``.
    var links: Set<UInt64> = []
    /// The indexes of the items that the store does not have under their id or link, or that have neither.
    var unknown: [Int] = []
  }

  /// The content hash of each item, and the identities that several items share.
  private mutating func prepare(
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

  /// Reads the stored articles that items seem to edit, and that may be others:
  /// - with the same id, if the document came from another address, or if the feed has had several articles with one id
  /// - with an id or a link that several items have, if the article came from another program
  /// - with the same title, if the article came from another program and has neither
  /// - with the link of an item as their guid: the feed, or the source that the article came from, had no id
  private mutating func doubtfulArticles(
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

  /// Returns whether an item is new, edited or known, and the guid to store it by; nil for an item without content.
  ///
  /// The rule is in the guide of this module, "Article identity".
  private mutating func judge(
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
    // Of several items with one identity, the stored article is the one with its content.
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

  /// Returns whether a stored hash is that of an item's content: as it is, as an earlier version hashed it, or with
  /// one of the link's other addresses (``LinkIdentity``).
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

  /// Judges an item with a new id by the stored article whose guid is its link, because that had no id; nil if there is none.
  ///
  /// Another article may have the link. So the title must be the same, unless the article came from another program.
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
    return stored.text(Article.Key.title.index).map { title?.elementsEqual($0) ?? false } ?? (title == nil)
  }

  /// Judges an item without an id and a link.
  private mutating func judgeByText(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, contentHash: Int64, _ doubtful: StoredArticles,
    _ arena: inout ItemArena
  ) -> (KnownArticles.Standing, ByteSlice)? {
    // An article of another program is known by its title alone; see ``ItemArena/titleGuid(_:)``.
    if let title = arena.undatedTitleGuid(of: item) {
      let guid = arena.hash(of: title)
      if known.isInResponse(guid, contentHash: contentHash) { return (.repeated, title) }
      let date = item.published ?? item.modified
      if let stored = known.stored(guid), let old = doubtful[stored.key],
        old.number(Article.Key.published.index) == date || old.number(Article.Key.modified.index) == date
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
  /// - Parameter onlyIfKnown: True to return nil for an item that is neither in the store nor in the response, and was
  /// not deleted.
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

  /// Returns whether an item is the article with this guid by id and link: it is the only such item of its document,
  /// or it has the content of that article.
  private mutating func isSame(
    _ item: ParsedItem, _ link: UInt64, of items: borrowing ParsedItemBatch, contentHash: Int64,
    _ repeats: Repeats, _ arena: inout ItemArena
  ) -> Bool {
    if known.isInResponse(link) { return known.isInResponse(link, contentHash: contentHash) }
    if !repeats.links.contains(link) { return true }
    return known.stored(link).map { hasContent($0.contentHash, item, items, contentHash, &arena) } ?? false
  }

  /// Judges an item by the other addresses that its link may have had (``LinkIdentity``); nil if none of them is
  /// known.
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

  /// Returns whether a stored article of another program is an item whose id or link other items have, too: both have the same
  /// title.
  private func isIncomplete(
    _ item: ParsedItem, _ contentHash: Int64, _ stored: ArticleVersion?, _ arena: ItemArena
  ) -> Bool {
    guard contentHash == KnownArticles.incomplete, let stored else { return false }
    return hasTitle(of: stored, item, arena)
  }

  /// Returns whether a stored article with the id of an item is another article: neither link nor title is the same,
  /// nor, if one has no link, the date. False if the id is not in doubt.
  private func isOther(_ item: ParsedItem, _ stored: ArticleVersion?, _ arena: ItemArena) -> Bool {
    guard let stored, item.id != nil else { return false }
    if let title = item.title, title.count > 0,
      let old = stored.text(Article.Key.title.index), old.elementsEqual(arena.bytes[title.range])
    {
      return false
    }
    guard let url = item.url, let old = stored.text(Article.Key.url.index) else {
      return item.published == nil || item.published != stored.number(Article.Key.published.index)
    }
    return links.key(arena.bytes.span.extracting(url.range)) != links.key(old.span)
  }

  // MARK: Cells

  /// Adds the cells of a new article.
  private func append(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, _ guid: ByteSlice, _ contentHash: Int64,
    _ sequence: Int64, to rows: inout RowBatch, _ arena: inout ItemArena
  ) {
    visitCells(of: item, of: items, guid, contentHash, sequence, &arena) { rows.append($0) }
  }

  private func cells(
    of item: ParsedItem, of items: borrowing ParsedItemBatch, _ guid: ByteSlice, _ contentHash: Int64,
    _ sequence: Int64, _ arena: inout ItemArena
  ) -> [RowBatch.Cell] {
    var cells: [RowBatch.Cell] = []
    cells.reserveCapacity(Self.columns.count)
    visitCells(of: item, of: items, guid, contentHash, sequence, &arena) { cells.append($0) }
    return cells
  }

  /// Passes the cells of one article to `add`, in the order of ``columns``.
  private func visitCells(
    of item: ParsedItem, of items: borrowing ParsedItemBatch, _ guid: ByteSlice, _ contentHash: Int64,
    _ sequence: Int64, _ arena: inout ItemArena, _ add: (RowBatch.Cell) -> Void
  ) {
    let now = Int64(now.timeIntervalSince1970.rounded(.down))
    // The publisher's id of an article that shares it is nowhere else.
    let members = arena.members(of: item, in: items, keepsID: arena.isShared(guid, of: item))
    let link = item.url ?? item.externalURL
    add(.integer(feed.key))
    add(guid.cell)
    add(.integer(contentHash))
    add(.integer(Article.timelineDate(published: item.published, modified: item.modified, imported: now)))
    add(item.published.map(RowBatch.Cell.integer) ?? .null)
    add(item.modified.map(RowBatch.Cell.integer) ?? .null)
    add(.integer(now))
    add(.integer(0))
    add(link.cell)
    add(item.title.cell)
    add(arena.authors(of: item, in: items).cell)
    add(arena.tags(of: item, in: items).cell)
    add(arena.attachments(of: item, in: items).cell)
    add(item.image.cell)
    add(item.language.cell)
    add(item.summary.cell)
    add(arena.contentHTML(of: item).cell)
    add(.integer(sequence))
    add(.integer(0))
    add(item.externalURL.cell)
    add(members.commentsURL.cell)
    add(members.json.cell)
    add(arena.storyKey(link: link, guid: guid).map(RowBatch.Cell.integer) ?? .null)
    add(item.modified == nil ? time.document.map(RowBatch.Cell.integer) ?? .null : .null)
  }
}

/// The origin of a document.
package struct DocumentOrigin: Sendable {
  /// The addresses of the feed: its own, the requested one, the one that answered, and the one that sent the previous answer.
  var addresses: [String] = []
  /// True if the answer, or the last one, came from another address than the feed's own: the same id may then mean
  /// another article.
  var isElsewhere = false

  /// An unknown origin.
  package init() {}

  /// Describes the origin of a document.
  init(addresses: [String], isElsewhere: Bool) {
    (self.addresses, self.isElsewhere) = (addresses, isElsewhere)
  }
}

/// The order of the articles in one document: newest first, unless most dates state the opposite.
struct DocumentOrder {
  /// The number of neighbours with the newer article first, minus those with the older one first.
  private var newestFirst = 0
  private var last: Int64?
  private var place: Int64 = 0

  /// Adds the dates of the next articles.
  mutating func observe(_ items: [ParsedItem]) {
    for item in items {
      guard let date = item.published ?? item.modified else { continue }
      if let last { newestFirst += (date < last ? 1 : 0) - (date > last ? 1 : 0) }
      last = date
    }
  }

  /// Returns the ``Article/sequence`` of the next article.
  mutating func next(at now: Date) -> Int64 {
    place += 1
    let microseconds = Int64((now.timeIntervalSince1970 * 1e6).rounded(.down))
    return microseconds + (newestFirst < 0 ? place : -place)
  }
}

extension ByteSlice {
  fileprivate var cell: RowBatch.Cell { .text(offset: offset, count: count) }
}

extension ByteSlice? {
  fileprivate var cell: RowBatch.Cell { self?.cell ?? .null }
}

extension ParsedItem {
  /// The publisher's identity of the item: its id, else its link; nil without both.
  fileprivate var identity: ByteSlice? { id ?? url }

  /// True if the item contains anything: an empty element is not an article.
  fileprivate var saysSomething: Bool {
    id != nil || url != nil || title != nil || content != nil || externalURL != nil || attachments.count > 0
      || image != nil
  }
}
