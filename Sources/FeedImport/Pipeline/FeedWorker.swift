import Foundation
import HTTPDownload
import ManagedContext
import NewsModel

/// Parses the responses of its share of the feeds, and saves their articles through a worker context.
///
/// It runs on its context's thread, so that it calls the context without a hop. Several responses are under way
/// at once; each has a ``FeedJob``.
actor FeedWorker {
  nonisolated let context: BackgroundContext
  private let run: ImportRun
  private var jobs: [ObjectIdentifier: FeedJob] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.unownedExecutor }

  init(parent: any ContextParent, number: Int, run: ImportRun) {
    context = BackgroundContext(
      parent: parent, name: "worker \(number)", niceness: run.options.niceness, mergePolicy: .objectTrumps)
    self.run = run
  }

  /// Takes an event of a transfer; called on the download thread, handled on the worker's, in order.
  nonisolated func deliver(
    _ event: FeedTransfer.Event, of transfer: FeedTransfer, transfer id: TransferID? = nil
  ) {
    context.executor.enqueue {
      self.assumeIsolated { $0.handle(event, of: transfer, id) }
    }
  }

  private func handle(_ event: FeedTransfer.Event, of transfer: FeedTransfer, _ id: TransferID?) {
    let job = job(of: transfer)
    do throws(StoreError) {
      switch event {
      case .head(let head): job.receive(head, at: Date())
      case .chunk(let chunk):
        defer { if let id, transfer.didParse(chunk) { run.resume(id) } }
        if let part = try job.receive(
          chunk, knowing: { () throws(StoreError) in try known(transfer.request) })
        {
          try save(part, of: transfer.request, isLast: false)
        }
      case .end(let result):
        jobs[ObjectIdentifier(transfer)] = nil
        let last = try job.finish(
          result, at: Date(), knowing: { () throws(StoreError) in try known(transfer.request) })
        defer { run.feedAnswered() }
        if let last { try save(last, of: transfer.request, isLast: true) } else { run.feedEnded() }
      }
    } catch {
      run.saveFailed(error, of: transfer.request)
      if case .end = event { run.feedEnded() }
    }
  }

  private func job(of transfer: FeedTransfer) -> FeedJob {
    if let job = jobs[ObjectIdentifier(transfer)] { return job }
    let job = FeedJob(transfer.request, atomicBytes: run.options.atomicBytes)
    jobs[ObjectIdentifier(transfer)] = job
    return job
  }

  /// The identities and hashes that the store has for a feed, in one query.
  private func known(_ request: FeedRequest) throws(StoreError) -> KnownArticles {
    if run.isFirstImport { return KnownArticles() }
    let feed = request.feed
    return KnownArticles(
      try context.performNow { (context) throws(StoreError) in try KnownArticles.rows(of: feed, in: context) }
    )
  }

  /// Pushes a save to the root; the feed has ended once the store has the last of them.
  private func save(_ save: FeedJob.Save, of request: FeedRequest, isLast: Bool) throws(StoreError) {
    let run = run
    let ticket = try context.performNow { (context) throws(StoreError) in
      defer { context.reset() }
      for batch in save.articles { context.insert(batch) }
      try save.answer?.apply(to: save.feed, in: context)
      return try context.push()
    }
    guard let ticket else {
      if isLast { run.feedEnded() }
      return
    }
    ticket.whenEnded { outcome in
      if case .failure(let error) = outcome { run.saveFailed(error, of: request) }
      if isLast { run.feedEnded() }
    }
  }
}
