import DocumentReading
import Foundation
import ManagedContext
import NewsModel
import Threading
import WebAddress

struct DocumentTask: Sendable {
  let document: InputDocument
  let request: FeedRequest
  /// The address that relative addresses are resolved against; nil if unknown.
  var base: WebAddress?
  /// The converted articles that the document was made from; nil for a feed's own document.
  var articles: ConvertedArticles?
  /// Receives the result after the save, on any thread; not called if the store has failed.
  let report: @Sendable (DocumentImport.Result) -> Void
}

/// Parses documents one after the other, and saves their articles through a worker context.
///
/// It runs on its context's thread, so that it calls the context without a hop.
actor DocumentWorker {
  nonisolated let context: BackgroundContext
  private let run: DocumentImport
  private let contents: StoreContents
  /// The last save for each feed that had a document.
  private var saves: [ManagedObjectID: SaveTicket] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.unownedExecutor }

  init(number: Int, _ contents: StoreContents, of run: DocumentImport) {
    (self.run, self.contents) = (run, contents)
    context = BackgroundContext(
      parent: run.root, name: "worker \(number)", niceness: run.options.niceness,
      mergePolicy: .objectTrumps)
  }

  /// Reads a document after the earlier ones.
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
      run.end(task, result, rejectedFor: error)
    }
  }

  private func save(_ task: DocumentTask, _ start: DocumentImport.Result) throws(StoreError) {
    var result = start
    let store = FeedInStore(request: task.request, store: awaitSave(of: task.request), context: context)
    let job = FeedJob(task.request, options: run.options)
    job.begin(base: task.base, hasStoredGuids: task.articles?.lastArticle != nil)
    let print = DocumentPrint()
    let interruption = try parse(task, job, print, knowing: store)
    if let interruption, interruption.kind == .stopped {
      (result.causes, result.isUnreadable) = ([interruption.cause], job.lastPart == nil)
      return run.end(task, result)
    }
    var (last, failure) = try job.finishDocument(interruption?.cause, knowing: store)
    if let failure { result.causes = [failure] }
    result.add(job)
    if failure == nil, result.dropped == 0, !task.document.address.isEmpty {
      last.articles.append(
        KnownDocuments.row(task.document, print, of: task.request.feed, at: run.options.now()))
    }
    guard let ticket = try mark(task, of: job, after: try push(last, of: job, task)) else {
      return run.end(task, result.saved(job.tally.withLock { $0 }))
    }
    ticket.whenEnded { [run, tally = job.tally, result] outcome in
      switch outcome {
      case .failure(let error): run.end(task, result, rejectedFor: error)
      case .success(let saved): run.end(task, result.saved(tally.add(saved.changes)))
      }
    }
  }

  /// Waits until the feed's earlier document is saved, because its articles are known after that.
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

  /// Parses the document, and pushes a large one in parts.
  ///
  /// - Parameter print: Receives the bytes that were read.
  /// - Returns: The reason why the rest was not read; nil if it was. A damaged document's complete articles
  ///   are saved. A stopped or possibly endless document leaves only the parts that were saved.
  private func parse(
    _ task: DocumentTask, _ job: FeedJob, _ print: DocumentPrint, knowing store: FeedInStore
  ) throws(StoreError) -> InputFailure? {
    defer { run.unfinished.didRead(task.document.headCount) }
    let source = RewoundBytes(task.document.head, task.document.rest)
    let isWhole = task.articles == nil
    while true {
      let piece: [UInt8]
      do throws(InputFailure) {
        piece = try source.next()
      } catch {
        return error
      }
      if piece.isEmpty { return nil }
      print.add(piece)
      // Other programs' documents are already divided.
      if print.size > run.options.maxBody, isWhole {
        return InputFailure(
          .stopped, "larger than \(run.options.maxBody) bytes; --max-body takes larger ones")
      }
      guard let part = try job.receive(piece, knowing: store), let ticket = try push(part, of: job, task)
      else { continue }
      let (run, tally, name) = (run, job.tally, task.document.name)
      ticket.whenEnded { outcome in
        guard case .success(let saved) = outcome else { return }
        let result = DocumentImport.Result(name: name).saved(tally.add(saved.changes))
        if isWhole { run.report(result.ongoing) }
      }
    }
  }

  /// Pushes a save after its document's earlier parts. In a dry run, its articles are only counted.
  ///
  /// - Returns: Nil if there is nothing to save.
  private func push(
    _ save: FeedJob.Save, of job: FeedJob, _ task: DocumentTask
  ) throws(StoreError) -> SaveTicket? {
    guard !run.plan.isDryRun else {
      count(save, of: job, task)
      return nil
    }
    let (request, earlier, articles, now) = (task.request, job.lastPart, task.articles, run.options.now())
    let ticket = try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      if let about = save.about, let feed = request.knownFeed(in: context) {
        about.apply(to: feed, onlyMissing: articles != nil)
      }
      // A document may be older than the server's version, which a validator would withhold.
      if save.changesArticles, articles == nil { request.knownFeed(in: context)?.forgetValidators() }
      for batch in save.articles {
        if let articles {
          try articles.insert(batch, at: now, in: context)
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

  /// Counts a save's articles in a dry run, except articles that another document has as well.
  private func count(_ save: FeedJob.Save, of job: FeedJob, _ task: DocumentTask) {
    // Batches without a counter contain neither new articles nor edits.
    for rows in save.articles.lazy.filter({ $0.editCounter != nil }).map(\.rows) {
      for row in 0..<rows.count {
        let isNew = rows.keys[row] == 0
        guard isNew || task.articles == nil,
          run.isFirst(guid: rows.guid(ofRow: row), ofFeedAt: task.request.ownAddress.text)
        else { continue }
        job.tally.withLock { tally in
          if isNew { tally.inserted += 1 } else { tally.edited += 1 }
        }
      }
    }
  }

  /// Marks a document's articles after they are saved.
  ///
  /// - Returns: The last save's ticket; nil if everything is saved.
  private func mark(
    _ task: DocumentTask, of job: FeedJob, after articles: SaveTicket?
  ) throws(StoreError) -> SaveTicket? {
    guard let marks = task.articles?.marks, !marks.isEmpty, !run.plan.isDryRun else { return articles }
    run.root.flush()
    if let articles { _ = job.tally.add(try articles.wait().get().changes) }
    let feed = job.request.feed
    return try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      return try MarkedArticles.save(marks, of: feed, in: context)
    }
  }
}
