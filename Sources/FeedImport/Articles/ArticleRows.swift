package import FeedParsing
package import Foundation
package import ManagedContext
package import NewsModel

/// The rows that a response adds to the store: its new and edited articles, as batches.
///
/// The parser's arena becomes the batch's arena. Texts are not copied, and never become a `String`.
package struct ArticleRows: ~Copyable {
  private(set) var counts = ArticleCounts()
  /// The article count, including known articles.
  private var listed = 0
  /// The articles as the schedule sees them; nil if there are no articles.
  var document: NewsWindow.Document? {
    listed == 0 ? nil : NewsWindow.Document(articles: listed, new: counts.inserted, dates: dates)
  }
  /// The dates of the articles, including known ones.
  private(set) var dates = PublishingInterval.Sample()

  private let feed: ManagedObjectID
  private let entity: EntityIndex
  let now: Date
  private let filter: ArticleFilter?
  let volatile: AttributeSet
  let origin: DocumentOrigin
  let answer: AnswerNumber
  let links: LinkIdentity
  let hasStoredGuids: Bool
  var known: KnownArticles
  /// The hashes of links under which the store has items with other ids.
  var linked: Set<UInt64> = []
  var hash = ContentHash()
  private var order = DocumentOrder()
  /// The document's stated time, as far as the document was read.
  var time: StatedTime

  private static let columns = Article.columns
  private static let unique = [Article.schema.feed.index, Article.schema.guid.index]
  /// The attributes that keep their values when an article's content changes.
  static let kept = [
    Article.schema.imported.index, Article.schema.edits.index, Article.schema.sequence.index,
  ]

  /// The attributes that stay when only dates change, so that the written ones show the kind of change.
  private static let keptByDates = columns.filter { column in
    ![
      Article.schema.timelineDate.index, Article.schema.published.index, Article.schema.modified.index,
      Article.schema.contentHash.index, Article.schema.storedChange.index, Article.schema.stated.index,
    ].contains(column)
  }

  /// The attributes that keep their values when volatile fields change, so that the written ones show the
  /// kind of change. The story follows the first address, even if the address is volatile.
  private static let keptByVolatile = kept + [Article.schema.story.index]

  /// - Parameters:
  ///   - volatile: See ``ImportSelection/Settings/volatile``.
  ///   - answer: The response's place in its feed's history.
  ///   - hasStoredGuids: True if the items' ids are guids from a store: no item gets a ``SharedGuid``.
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

  /// Returns the changes to the feed's tombstones after its whole document was read; nil if nothing changes.
  func tombstoneCare(at now: Date) -> DeletedArticles.Care? { known.deleted?.care(at: now) }

  /// Returns the batches for items from the response; empty if nothing is to be written.
  ///
  /// - Parameters:
  ///   - stored: Reads stored articles by their keys; called only if some have changed, or if the same id may
  ///     mean another article.
  ///   - time: The document's own stated time, in seconds since 1970; nil without one.
  ///   - versions: Reads stored articles' versions by key; called only if the response has older texts.
  ///   - answer: Reads what is known about stored articles; called only for a feed with many articles.
  package mutating func rows(
    of items: consuming ParsedItemBatch, statedAt time: Int64? = nil,
    reading stored: ([Int64]) throws(StoreError) -> StoredArticles = { _ in StoredArticles() },
    versions: ([Int64]) throws(StoreError) -> EarlierVersions = { _ in EarlierVersions() },
    asking answer: (KnownArticles.Question) throws(StoreError) -> RowBatch = { _ in KnownArticles.noRows }
  ) throws(StoreError) -> [BatchUpsert] {
    if let filter {
      let kept = filter.kept(of: items)
      counts.skipped += items.items.count - kept.count
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
      if standing == .repeated { counts.joined += 1 } else { listed += 1 }
      switch standing {
      case .unchanged, .repeated: continue
      case .new:
        counts.inserted += 1
        changed.begin(guid: arena.hash(of: guid))
        append(item, of: items, guid, contentHashes[place], sequence, to: &changed.batch, &arena)
      case .edited(let key):
        edits.append(Edit(place: place, key: key, guid: guid, sequence: sequence))
      case .adopted(let key):
        edits.append(Edit(place: place, key: key, guid: guid, sequence: sequence, isAdopted: true))
      }
    }
    guard !edits.isEmpty else { return [batch(changed, arena, .edit)].compactMap(\.self) }
    let (changes, earlier) = try changes(edits, of: items, contentHashes, &arena, stored, versions)
    return batches(of: changes, with: &changed, arena) + earlier
  }

  /// Returns the batches for changed and new articles.
  ///
  /// - Parameter new: The new articles, which are written with the edited ones.
  private mutating func batches(
    of changes: [Change], with new: inout Rows, _ arena: ItemArena
  ) -> [BatchUpsert] {
    let none = Rows(entity: entity)
    var others: [ArticleChange?: Rows] = [:]
    for (edit, cells, change) in changes {
      counts.add(change)
      let guid = arena.hash(of: edit.guid)
      if change == .edit {
        new.begin(guid: guid, key: edit.key, cells)
      } else {
        others[change, default: none].begin(guid: guid, key: edit.key, cells)
      }
    }
    var batches = [batch(new, arena, .edit)]
    for kind in [ArticleChange.markup, .dates, .volatile, nil] {
      if let rows = others[kind] { batches.append(batch(rows, arena, kind)) }
    }
    return batches.compactMap(\.self)
  }

  /// The article count in one document piece above which omitting empty columns saves memory. Smaller pieces
  /// keep all columns, because each column set has its own statement.
  private static let manyRows = 512

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

  private func batch(_ rows: Rows, _ arena: ItemArena, _ change: ArticleChange?) -> BatchUpsert? {
    var written = rows.batch
    guard written.count > 0 else { return nil }
    written.bytes = arena.bytes
    // With so many articles in one piece, texts are tiny, and most memory is null cells. An update would need
    // the nulls.
    if written.count >= Self.manyRows, !known.hasStored { written = written.withoutEmptyColumns() }
    var batch = BatchUpsert(
      written, unique: Self.unique, changeMark: Article.schema.contentHash.index,
      editCounter: change == .edit ? Article.schema.edits.index : nil,
      kept: Self.kept(by: change))
    batch.isReported = change != nil
    if known.hasStored || known.deleted != nil {
      batch.exclusion = .init(
        entity: NewsModel.Place.tombstone, attribute: Tombstone.schema.guidHash.index, values: rows.guids,
        shared: [(Tombstone.schema.feed.index, Article.schema.feed.index)])
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

  // MARK: Cells

  private func append(
    _ item: ParsedItem, of items: borrowing ParsedItemBatch, _ guid: ByteSlice, _ contentHash: Int64,
    _ sequence: Int64, to rows: inout RowBatch, _ arena: inout ItemArena
  ) {
    visitCells(of: item, of: items, guid, contentHash, sequence, &arena) { rows.append($0) }
  }

  func cells(
    of item: ParsedItem, of items: borrowing ParsedItemBatch, _ guid: ByteSlice, _ contentHash: Int64,
    _ sequence: Int64, _ arena: inout ItemArena
  ) -> [RowBatch.Cell] {
    var cells: [RowBatch.Cell] = []
    cells.reserveCapacity(Self.columns.count)
    visitCells(of: item, of: items, guid, contentHash, sequence, &arena) { cells.append($0) }
    return cells
  }

  /// Passes an article's cells to `add`, in the order of ``columns``.
  private func visitCells(
    of item: ParsedItem, of items: borrowing ParsedItemBatch, _ guid: ByteSlice, _ contentHash: Int64,
    _ sequence: Int64, _ arena: inout ItemArena, _ add: (RowBatch.Cell) -> Void
  ) {
    let now = Int64(now.timeIntervalSince1970.rounded(.down))
    // For a shared id, the publisher's id is stored nowhere else.
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

extension ByteSlice {
  fileprivate var cell: RowBatch.Cell { .text(offset: offset, count: count) }
}

extension ByteSlice? {
  fileprivate var cell: RowBatch.Cell { self?.cell ?? .null }
}

extension ParsedItem {
  /// True if the item contains anything: an empty element is not an article.
  fileprivate var saysSomething: Bool {
    id != nil || url != nil || title != nil || content != nil || externalURL != nil || attachments.count > 0
      || image != nil
  }
}
