import DocumentReading
import Foundation
import ManagedContext
import NewsModel
import Threading
import WebAddress

/// A document for a worker.
struct DocumentTask: Sendable {
  /// Articles to mark, by their guids.
  typealias Marks = [(id: String, marks: Set<ArticleMark>)]

  let document: InputDocument
  let request: FeedRequest
  /// The address that relative addresses are resolved against; nil if it is unknown.
  var base: WebAddress?
  var marks: Marks = []
  /// Values that the document does not have, by the guids of articles.
  var others: [[UInt8]: ConvertedFeed.OtherValues] = [:]
  /// True if the document was made from a list that has only some values of its articles: those that the store has are not
  /// changed by it.
  var isPartial = false
  /// See ``ConvertedFeed/areDeleted``.
  var areDeleted = false
  /// The greatest key that an article had before the list of which the document is a part; nil for another document. The
  /// guids of a list are those of a store, and its later lines replace earlier ones.
  var lastArticle: Int64?
  /// Called with the result after the save, on any thread.
  let end: @Sendable (DocumentImport.Result) -> Void
}

/// Parses documents one after the other, and saves their articles through a worker context.
///
/// It runs on its context's thread, so that it calls the context without a hop.
actor DocumentWorker {
  nonisolated let context: BackgroundContext
  private let run: DocumentImport
  private let contents: StoreContents
  /// The last saves of the feeds that had a document.
  private var saves: [ManagedObjectID: SaveTicket] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.unownedExecutor }

  init(number: Int, _ contents: StoreContents, of run: DocumentImport) {
    (self.run, self.contents) = (run, contents)
    context = BackgroundContext(
      parent: run.root, name: "worker \(number)", niceness: run.options.niceness,
      mergePolicy: .objectTrumps)
  }

  /// Reads a document after those before it.
  nonisolated func read(_ task: DocumentTask) {
    context.executor.enqueue {
      self.assumeIsolated { $0.readNow(task) }
    }
  }

  private func readNow(_ task: DocumentTask) {
    var result = DocumentImport.Result(name: task.document.name)
    result.feed = task.request.ownAddress
    do throws(StoreError) {
      try save(task, result)
    } catch {
      task.end(run.unsaved(result, error))
    }
  }

  private func save(_ task: DocumentTask, _ start: DocumentImport.Result) throws(StoreError) {
    var result = start
    let request = task.request
    let store = FeedInStore(request: request, store: awaitSave(of: request), context: context)
    let job = FeedJob(request, options: run.options)
    job.begin(base: task.base, hasStoredGuids: task.lastArticle != nil)
    let (interruption, print) = try parse(task, job, store)
    var damage: String?
    switch interruption {
    case nil: break
    case .damage(let cause): damage = cause
    case .ended(let cause):
      result.cause = cause
      result.isUnreadable = job.lastPart == nil
      return task.end(result)
    }
    var end = try job.finishDocument(damage, knowing: store)
    if end.failure == nil, end.dropped == 0, !task.document.address.isEmpty {
      end.save.articles.append(
        KnownDocuments.row(task.document, print, of: request.feed, at: run.options.now()))
    }
    result.skipped = end.skipped
    if let failure = end.failure { result.causes.append(failure) }
    result.dropped = end.dropped
    (result.shortenedTexts, result.shortenedLists) = end.shortened
    if end.dropped > 0 { result.outcome = .failed }
    var last = run.plan.isDryRun ? nil : try push(end.save, of: job, task)
    if !task.marks.isEmpty, !run.plan.isDryRun { last = try save(task.marks, of: job, after: last) }
    if run.plan.isDryRun { count(end.save, of: job, task) }
    guard let ticket = last else { return task.end(result.ended(job.tally.withLock { $0 })) }
    let (run, tally, ended) = (run, job.tally, result)
    ticket.whenEnded { outcome in
      switch outcome {
      case .failure(let error): task.end(run.unsaved(ended, error))
      case .success(let saved):
        let sum = tally.withLock { tally in
          tally.add(saved.changes)
          return tally
        }
        task.end(ended.ended(sum))
      }
    }
  }

  /// Counts the articles of a save in a dry run, except those that another document has as well.
  private func count(_ save: FeedJob.Save, of job: FeedJob, _ task: DocumentTask) {
    // Batches without a counter have no new articles and no edits.
    for batch in save.articles where batch.editCounter != nil {
      for row in 0..<batch.rows.count {
        let isNew = batch.rows.keys[row] == 0
        guard isNew || !task.isPartial,
          run.isFirst(guid: Self.guid(of: row, in: batch.rows), ofFeedAt: task.request.ownAddress.text)
        else { continue }
        job.tally.withLock { tally in
          if isNew { tally.inserted += 1 } else { tally.edited += 1 }
        }
      }
    }
  }

  /// Marks articles of a document, which must be saved before.
  ///
  /// - Returns: The ticket of the marks; nil if there is nothing to save.
  private func save(
    _ marks: DocumentTask.Marks, of job: FeedJob, after articles: SaveTicket?
  ) throws(StoreError) -> SaveTicket? {
    run.root.flush()
    if let articles {
      let saved = try articles.wait().get()
      job.tally.withLock { $0.add(saved.changes) }
    }
    let feed = job.request.feed
    return try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      return try MarkedArticles.save(marks.map { (feed, $0.id, $0.marks) }, in: context)
    }
  }

  /// Waits until an earlier document of the feed is saved, because its articles are known from then on.
  private func awaitSave(of request: FeedRequest) -> StoreContents {
    guard let earlier = saves[request.feed] else { return contents }
    if earlier.outcome == nil {
      run.root.flush()
      _ = earlier.wait()
    }
    var contents = contents
    contents.hasArticles = true
    return contents
  }

  /// Why the rest of a document was not read.
  private enum Interruption {
    /// It cannot be read. The articles before are saved.
    case damage(String)
    /// It may be endless, or somebody has stopped the import. It leaves nothing but the parts that were saved.
    case ended(String)
  }

  /// Parses the document, and pushes the parts of a large one.
  ///
  /// - Returns: Why its rest was not read; nil if it was read. The size and hash of what was read.
  private func parse(
    _ task: DocumentTask, _ job: FeedJob, _ store: FeedInStore
  ) throws(StoreError) -> (interruption: Interruption?, DocumentPrint) {
    defer { run.didRead(task.document) }
    let source = RewoundBytes(task.document.head, task.document.rest)
    let print = DocumentPrint()
    while true {
      let piece: [UInt8]
      do throws(InputFailure) {
        piece = try source.next()
      } catch {
        return (error.kind == .stopped ? .ended(error.cause) : .damage(error.cause), print)
      }
      if piece.isEmpty { return (nil, print) }
      print.add(piece)
      // The documents of other programs are divided before.
      if print.size > run.options.maxBody, !task.isPartial {
        return (.ended("larger than \(run.options.maxBody) bytes; --max-body takes larger ones"), print)
      }
      guard let part = try job.receive(piece, knowing: store) else { continue }
      if run.plan.isDryRun {
        count(part, of: job, task)
        continue
      }
      let (run, tally, isWhole, name) = (run, job.tally, !task.isPartial, task.document.name)
      try push(part, of: job, task)?.whenEnded { outcome in
        guard case .success(let saved) = outcome else { return }
        let sum = tally.withLock { tally in
          tally.add(saved.changes)
          return tally
        }
        if isWhole { run.reportOngoing(DocumentImport.Result(name: name, sum)) }
      }
    }
  }

  /// Pushes a save after the earlier parts of its document.
  ///
  /// - Returns: Nil if there is nothing to save.
  @discardableResult
  private func push(
    _ save: FeedJob.Save, of job: FeedJob, _ task: DocumentTask
  ) throws(StoreError) -> SaveTicket? {
    let (request, earlier, isPartial, others) = (task.request, job.lastPart, task.isPartial, task.others)
    let (areDeleted, lastArticle, now) = (task.areDeleted, task.lastArticle, run.options.now())
    let ticket = try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      if let about = save.about, let feed = request.knownFeed(in: context) {
        about.apply(to: feed, onlyMissing: isPartial)
      }
      // The document may be older than what the server has, and a validator would withhold that.
      if save.changesArticles, !isPartial { request.knownFeed(in: context)?.forgetValidators() }
      for batch in save.articles {
        if areDeleted {
          context.insert(Self.tombstones(of: batch, at: now))
        } else if isPartial {
          let partial = Self.withoutUpdates(batch, others)
          context.insert(partial)
          if let lastArticle, let later = try LaterLines.updates(partial, after: lastArticle, in: context) {
            context.insert(later)
          }
        } else {
          context.insert(batch)
        }
      }
      return try context.push(after: earlier)
    }
    job.lastPart = ticket ?? earlier
    saves[request.feed] = ticket ?? saves[request.feed]
    return ticket
  }

  /// Returns a batch that only inserts ``KnownArticles/incomplete`` articles: an article that is there has the same guid.
  ///
  /// - Parameter others: Values that the document does not have, by the guids of articles.
  private static func withoutUpdates(
    _ batch: BatchUpsert, _ others: [[UInt8]: ConvertedFeed.OtherValues]
  ) -> BatchUpsert {
    guard batch.rows.entity == NewsModel.Place.article else { return batch }
    var batch = batch
    // The document has no such values, and a large batch has no empty columns.
    let added = others.isEmpty ? [] : [Article.Key.commentsURL.index, Article.Key.members.index]
    let columns = Article.Key.columns.filter { batch.rows.columns.contains($0) || added.contains($0) }
    var rows = RowBatch(entity: batch.rows.entity, columns: columns, bytes: batch.rows.bytes)
    rows.reserveCapacity(batch.rows.count)
    for row in 0..<batch.rows.count {
      rows.beginRow(key: batch.rows.keys[row])
      let values = others.isEmpty ? nil : others[guid(of: row, in: batch.rows)]
      for column in columns {
        if column == Article.Key.contentHash.index {
          rows.append(integer: KnownArticles.incomplete)
        } else if column == Article.Key.commentsURL.index, let url = values?.commentsURL {
          rows.append(text: String(decoding: url, as: UTF8.self))
        } else if column == Article.Key.members.index, let members = values?.members {
          rows.append(text: String(decoding: members, as: UTF8.self))
        } else if let place = batch.rows.columns.firstIndex(of: column) {
          rows.append(batch.rows.cell(row: row, column: place))
        } else {
          rows.append(RowBatch.Cell.null)
        }
      }
    }
    batch.rows = rows
    batch.changeMark = Article.Key.guid.index
    batch.editCounter = nil
    return batch
  }
}

extension DocumentWorker {
  /// Returns the tombstones of the articles that the store does not have.
  private static func tombstones(of batch: BatchUpsert, at now: Date) -> BatchUpsert {
    var identities = RowBatch(
      entity: batch.rows.entity, columns: [Article.Key.feed.index, Article.Key.guid.index],
      bytes: batch.rows.bytes)
    let places = identities.columns.compactMap { batch.rows.columns.firstIndex(of: $0) }
    for row in 0..<batch.rows.count where batch.rows.keys[row] == 0 {
      identities.beginRow()
      for place in places { identities.append(batch.rows.cell(row: row, column: place)) }
    }
    return Pruning.tombstones(of: identities, at: now)
  }

  private static func guid(of row: Int, in rows: RowBatch) -> [UInt8] {
    guard let place = rows.columns.firstIndex(of: Article.Key.guid.index),
      case .text(let offset, let count) = rows.cell(row: row, column: place)
    else { return [] }
    return Array(rows.bytes[Int(offset)..<Int(offset) + Int(count)])
  }
}

extension DocumentImport.Result {
  /// The articles so far.
  init(name: String, _ tally: ArticleTally) {
    self.init(name: name)
    (inserted, edited) = (tally.inserted, tally.edited)
  }

  /// Returns the result with the articles that were saved.
  fileprivate func ended(_ tally: ArticleTally) -> DocumentImport.Result {
    var result = self
    (result.inserted, result.edited) = (tally.inserted, tally.edited)
    if cause == nil, dropped == 0 { result.outcome = tally == ArticleTally() ? .unchanged : .updated }
    return result
  }
}
