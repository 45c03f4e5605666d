import DocumentReading
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import Threading
import WebAddress

/// Imports the lines of an export, in the context of a worker on its thread.
///
/// The rows of a table are saved in batches. Rows that the store has stay as they are, except that an article with another
/// content is an edit. The validators of feeds are saved last: with them, a server would answer "not modified" although the
/// articles of an interrupted import are missing.
final class LinesImport {
  private let run: DocumentImport
  private let context: BackgroundContext
  private var hasTombstones: Bool
  /// True if the store had articles before.
  private let hasArticles: Bool
  private var table: TableRows?
  /// The numbers of the lines of ``table``.
  private var lines = 0...0
  /// The present IDs of regions and feeds, by the numbers that they have in the lines.
  private var ids: [EntityIndex: [Int64: ManagedObjectID]] = [:]
  private var saves = WatchedSaves()
  private var marks = MarkedArticles()
  private var validators = FeedValidators()
  /// The articles that have versions of this import.
  private var versioned: Set<ManagedObjectID> = []
  /// The addresses of feeds in a dry run.
  private var addresses: [ManagedObjectID: String] = [:]
  /// The articles that the store does not have, in a dry run.
  private var expected = ArticleTally()
  private var mistakes = LineMistakes()
  /// True if a line was a row.
  private var hasRows = false
  /// What the first line states; nil before it.
  private var header: Header?
  /// The number of lines between the first and the last.
  private var presentLines = 0
  /// The number of them that the last line states; nil before it.
  private var statedLines: Int?

  /// The first line of an export.
  private struct Header {
    /// True if the export has a last line.
    let hasEnd: Bool
  }

  /// The result of all lines.
  struct Outcome {
    /// The saved articles.
    var tally = ArticleTally()
    /// The causes why lines were not saved.
    var mistakes: [String] = []
    /// The number of lines among the causes.
    var failedLines = 0
    /// True if there are only mistakes.
    var isUnreadable = false
    /// True if the import was stopped before the last line.
    var isStopped = false
  }

  init(_ run: DocumentImport, in context: BackgroundContext, _ contents: StoreContents) {
    (self.run, self.context) = (run, context)
    (hasTombstones, hasArticles) = (contents.hasTombstones, contents.hasArticles)
  }

  /// Imports all lines.
  func read(_ document: InputDocument) throws(StoreError) -> Outcome {
    if run.plan.feed != nil {
      let cause = "an export names the feeds of its articles; leave out --feed"
      return Outcome(mistakes: [cause], isUnreadable: true)
    }
    var reader = LineReader(RewoundBytes(document.head, document.rest))
    var isWhole = false
    while !run.mustEnd, saves.failure == nil {
      guard let range = reader.next(noting: &mistakes) else {
        isWhole = true
        break
      }
      if header != nil {
        try add(range, of: reader)
        if table?.isFull == true {
          try flush()
          reportProgress(of: document)
        }
        continue
      }
      do throws(TableRows.Mistake) {
        header = try Self.header(reader.bytes.span.extracting(range))
      } catch {
        mistakes.add(error.cause)
        break
      }
    }
    try flush()
    if isWhole { checkEnd(afterLine: reader.number) }
    try finish()
    if let error = saves.failure { throw error }
    let isUnreadable = !hasRows && !mistakes.isEmpty
    let failedLines = mistakes.lines
    for cause in saves.refusals { mistakes.add(cause) }
    return Outcome(
      tally: tally, mistakes: mistakes.causes, failedLines: failedLines, isUnreadable: isUnreadable,
      isStopped: !isWhole && run.mustEnd)
  }

  /// The articles so far.
  private var tally: ArticleTally { run.plan.isDryRun ? expected : saves.tally }

  private func reportProgress(of document: InputDocument) {
    run.reportOngoing(DocumentImport.Result(name: document.name, tally))
  }

  // MARK: Lines

  /// Reads the first line.
  ///
  /// - Throws: The cause why the lines after it cannot be read.
  private static func header(_ line: Span<UInt8>) throws(TableRows.Mistake) -> Header {
    var format: String?
    var version: Int?
    var hasEnd = false
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line) { key, value in
        switch (JSONMembers.text(line, key), value) {
        case (ExportFormat.formatKey, .string(let range, false)): format = JSONMembers.text(line, range)
        case ("version", .number(let range)): version = Int(JSONMembers.text(line, range))
        case (ExportFormat.endLineKey, .bool(let value)): hasEnd = value
        default: break
        }
      }
    } catch {
      throw TableRows.Mistake(cause: "line 1: not JSON after \(error.position) bytes")
    }
    guard format == ExportFormat.name, let version else {
      throw TableRows.Mistake(cause: "line 1: not the first line of an export")
    }
    guard version <= ExportFormat.version else {
      throw TableRows.Mistake(
        cause:
          "an export in version \(version) of the format, newer than this program's \(ExportFormat.version); "
          + "use a newer newsimport")
    }
    return Header(hasEnd: hasEnd)
  }

  /// Returns the number of lines that a last line states; nil for another line.
  private static func statedLines(_ line: Span<UInt8>) -> Int? {
    var isEnd = false
    var lines: Int?
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line) { key, value in
        switch (JSONMembers.text(line, key), value) {
        case (ExportFormat.endKey, .string(let range, false)):
          isEnd = JSONMembers.text(line, range) == ExportFormat.name
        case (ExportFormat.linesKey, .number(let range)): lines = Int(JSONMembers.text(line, range))
        default: break
        }
      }
    } catch {
      return nil
    }
    return isEnd ? lines : nil
  }

  /// Notes rows that are missing: the file was cut off at the end of a line, or lines were removed.
  ///
  /// - Parameter last: The number of the last line.
  private func checkEnd(afterLine last: Int) {
    guard header?.hasEnd == true, statedLines != presentLines else { return }
    mistakes.add(
      statedLines.map {
        "\(grouped($0)) rows were exported, and \(grouped(presentLines)) are here; import the whole export for the others"
      } ?? "cut off after line \(grouped(last)); import the whole export for the rest")
  }

  /// Adds the row of a line to those that wait.
  private func add(_ range: Range<Int>, of reader: LineReader) throws(StoreError) {
    let line = reader.bytes.span.extracting(range)
    guard let entity = Self.table(of: line) else {
      if let lines = Self.statedLines(line) {
        statedLines = lines
        return
      }
      presentLines += 1
      return mistakes.add("no row of a known table", inLine: reader.number)
    }
    presentLines += 1
    if table?.table != entity {
      try flush()
      table = TableRows(entity)
      if entity == NewsModel.Place.tombstone { hasTombstones = true }
    }
    if table?.isEmpty ?? true { lines = reader.number...reader.number }
    do throws(TableRows.Mistake) {
      try table?.add(line) { attribute, number in
        attribute.destination.flatMap { NewsModel.model.index(named: $0) }.flatMap { ids[$0]?[number] }
      }
      lines = lines.lowerBound...reader.number
      hasRows = true
    } catch {
      mistakes.add(error.cause, inLine: reader.number)
    }
  }

  /// Returns the table of a line; nil if it is unknown.
  private static func table(of line: Span<UInt8>) -> EntityIndex? {
    // A line is read twice only if another program has written it.
    if let table = usualTable(of: line) { return table }
    var name: String?
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line) { key, value in
        guard case .string(let range, false) = value, JSONMembers.text(line, key) == ExportFormat.tableKey
        else { return }
        name = JSONMembers.text(line, range)
      }
    } catch {
      // The table names the mistake, if it is known.
    }
    return ExportFormat.tables.first { NewsModel.model[$0].name == name }
  }

  /// Returns the table that a line begins with; nil if it begins with another member, or with white space.
  private static func usualTable(of line: Span<UInt8>) -> EntityIndex? {
    tablePrefixes.first { prefix, _ in
      guard line.count > prefix.count else { return false }
      for index in prefix.indices where line[index] != prefix[index] { return false }
      return true
    }?.table
  }

  private static let tablePrefixes: [(prefix: [UInt8], table: EntityIndex)] = ExportFormat.tables.map {
    (Array("{\"\(ExportFormat.tableKey)\":\"\(NewsModel.model[$0].name)\"".utf8), $0)
  }

  // MARK: Saves

  /// Saves the rows that wait.
  private func flush() throws(StoreError) {
    guard var rows = table, !rows.isEmpty else { return }
    let isOfFeeds = rows.table == NewsModel.Place.feed
    let numbers = rows.numbers
    var names = isOfFeeds || rows.table == NewsModel.Place.region ? rows.texts(at: 0) : []
    if isOfFeeds {
      let moved = try moves(from: names)
      rows.remove { moved[names[$0]] != nil }
      validators.withhold(&rows)
      names = names.map { moved[$0] ?? $0 }
    }
    if !rows.isEmpty { try save(rows) }
    if !names.isEmpty { try identify(names, numbers, rows.table) }
    table?.removeAll()
  }

  /// Returns the present addresses of feeds that have moved, by their former addresses.
  private func moves(from urls: [String]) throws(StoreError) -> [String: String] {
    let moves = try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      return try DataSource(context).moves(from: urls.map { WebAddress($0) })
    }
    return Dictionary(moves.map { ($0.from.text, $0.to.text) }) { $1 }
  }

  private func save(_ rows: TableRows) throws(StoreError) {
    let batch = batch(rows)
    let isDryRun = run.plan.isDryRun
    if isDryRun {
      if rows.table == NewsModel.Place.article { try count(rows) }
    } else if rows.table == ExportFormat.versions {
      try saveVersions(rows)
    } else {
      let isOfArticles = rows.table == NewsModel.Place.article && hasArticles
      let now = run.root.now()
      let ticket = try context.performNow { (context) throws(StoreError) in
        defer { context.reset() }
        if isOfArticles {
          let older = try OlderRows(batch.rows, at: now, in: context)
          context.insert(batch.leavingOut(older.places))
          for version in older.versions { context.insert(version) }
        } else {
          context.insert(batch)
        }
        return try context.push(after: nil)
      }
      saves.add(ticket, of: "lines \(grouped(lines.lowerBound)) to \(grouped(lines.upperBound))")
      if rows.table == NewsModel.Place.article, let ticket {
        marks.add(rows, ticket)
        try saveMarks(isLast: false)
      }
    }
  }

  private func batch(_ rows: TableRows) -> BatchUpsert {
    let entity = NewsModel.model[rows.table]
    let unique = entity.uniqueness.first ?? []
    guard rows.table == NewsModel.Place.article else {
      // The values that identify a row never differ from those of the same row, so it stays as it is.
      var batch = BatchUpsert(rows.rows, unique: unique, changeMark: unique.first)
      batch.newKeys = rows.numbers
      return batch
    }
    var batch = BatchUpsert(
      rows.rows, unique: unique, changeMark: Article.Key.contentHash.index,
      editCounter: Article.Key.edits.index, kept: ArticleRows.kept)
    batch.newKeys = rows.numbers
    if hasTombstones {
      batch.exclusion = .init(
        entity: NewsModel.Place.tombstone, attribute: Tombstone.Key.guidHash.index, values: rows.guidHashes,
        shared: [(Tombstone.Key.feed.index, Article.Key.feed.index)])
    }
    return batch
  }

  /// Saves versions of articles that have none. Their articles are saved before.
  private func saveVersions(_ rows: TableRows) throws(StoreError) {
    awaitSaves()
    let begun = versioned
    let (ticket, versioned) = try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      var begun = begun
      let articles = try MarkedArticles.ids(
        of: rows.owners.map { ($0.feed, String(decoding: $0.guid, as: UTF8.self)) }, in: context)
      try RestoredVersions(rows.rows, numbers: rows.numbers, of: articles).write(in: context, &begun)
      return (try context.push(after: nil), begun)
    }
    self.versioned = versioned
    saves.add(ticket, of: "lines \(grouped(lines.lowerBound)) to \(grouped(lines.upperBound))")
  }

  private func saveMarks(isLast: Bool) throws(StoreError) {
    for ticket in try marks.settle(in: context, isLast: isLast) { saves.add(ticket, of: "marks of articles") }
  }

  private func awaitSaves() { saves.wait(for: run.root) }

  /// Finds the present IDs of regions or feeds by their present names, and adds feeds to the user's region.
  private func identify(_ names: [String], _ numbers: [Int64], _ table: EntityIndex) throws(StoreError) {
    awaitSaves()
    var found: [String: ManagedObjectID] = [:]
    let (isDryRun, region) = (run.plan.isDryRun, run.plan.region)
    if table == NewsModel.Place.feed, let region, !isDryRun {
      let ticket = try context.performNow { (context) throws(StoreError) in
        defer { context.reset() }
        _ = try DataSource(context).feeds(ofDocumentsAt: names.map { WebAddress($0) }, inRegionNamed: region)
        return try context.push(after: nil)
      }
      saves.add(ticket, of: "the feeds of the region \(region)")
    }
    let pairs = try context.performNow { (context) throws(StoreError) -> [(String, ManagedObjectID)] in
      defer { context.reset() }
      if table == NewsModel.Place.region {
        return try context.fetch(FetchRequest(Region.self, where: .among(\.name, names))).map {
          ($0.name, $0.id)
        }
      }
      let urls = names.map { WebAddress($0) }
      return try context.fetch(FetchRequest(Feed.self, where: .among(\.url, urls))).map {
        ($0.url.text, $0.id)
      }
    }
    for (name, id) in pairs { found[name] = id }
    let store = context.writtenStoreNumber
    for (name, number) in zip(names, numbers) {
      // A dry run needs an ID only as a stand-in.
      let standIn = isDryRun ? ManagedObjectID(entity: table, store: store, key: .max - number) : nil
      if let id = found[name] ?? standIn {
        ids[table, default: [:]][number] = id
        if isDryRun { addresses[id] = name }
      }
    }
    if table == NewsModel.Place.feed { validators.identify(found) }
  }

  /// Counts the articles that the store does not have.
  private func count(_ rows: TableRows) throws(StoreError) {
    let pairs = rows.articles.filter { run.isFirst(guid: $0.guid.utf8, ofFeedAt: addresses[$0.feed] ?? "") }
    let known = try context.performNow { (context) throws(StoreError) -> Int in
      defer { context.reset() }
      var known = 0
      for (feed, guids) in Dictionary(grouping: pairs, by: \.feed) {
        known += try context.count(
          FetchRequest(Article.self, where: \.feed == feed && .among(\.guid, guids.map(\.guid))))
      }
      return known
    }
    expected.inserted += pairs.count - known
  }

  private func finish() throws(StoreError) {
    guard !run.plan.isDryRun else { return }
    awaitSaves()
    guard saves.failure == nil else { return }
    // The lines may be older than what the servers have.
    for ticket in try validators.forget(ofFeedsWith: saves.changedArticles, in: context) {
      saves.add(ticket, of: "validators of feeds")
    }
    try saveMarks(isLast: true)
    awaitSaves()
    // With a validator a server may withhold what is missing.
    guard mistakes.isEmpty, saves.refusals.isEmpty, saves.failure == nil, !run.mustEnd else { return }
    for ticket in try validators.save(in: context) { saves.add(ticket, of: "validators of feeds") }
    awaitSaves()
  }
}
