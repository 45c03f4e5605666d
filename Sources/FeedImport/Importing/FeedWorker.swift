import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import Threading

/// Parses the responses for its feeds, and saves their articles through a worker context.
///
/// It runs on its context's thread, so that it calls the context without a hop. Several responses are in
/// progress at once; each has a ``FeedJob``.
actor FeedWorker {
  nonisolated let context: BackgroundContext
  nonisolated let run: ImportRun
  /// The data that waits for the worker, over all its transfers.
  nonisolated let backlog = Locked(WorkerBacklog())
  private var jobs: [ObjectIdentifier: FeedJob] = [:]
  /// The next saves, which are pushed together.
  private var saves = SaveBatch()

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.unownedExecutor }

  init(parent: any ContextParent, number: Int, run: ImportRun) {
    context = BackgroundContext(
      parent: parent, name: "worker \(number)", niceness: run.options.niceness, mergePolicy: .objectTrumps)
    self.run = run
  }

  /// Passes a transfer's event from the download thread to the worker's thread, in order.
  nonisolated func deliver(_ event: FeedTransfer.Event, of transfer: FeedTransfer, _ id: TransferID) {
    context.executor.enqueue {
      self.assumeIsolated { $0.handle(event, of: transfer, id) }
    }
  }

  private func handle(_ event: FeedTransfer.Event, of transfer: FeedTransfer, _ id: TransferID) {
    let job = job(of: transfer, id)
    do throws(StoreError) {
      switch event {
      case .end where job.isBroken:
        forget(transfer, id)
        run.feedAnswered()
        run.feedEnded(job.request)
      case .head(let head): job.receive(head)
      case .chunk(let chunk):
        defer { run.noteMemory(job.measure(), of: id, resumable: transfer.didParse(chunk, transfer: id)) }
        if job.isBroken { return }
        if let part = try job.receive(chunk, knowing: store(transfer.request)) {
          add(part, of: job)
          flush()
        }
      case .end(let result):
        defer { forget(transfer, id) }
        if case .failure(let error) = result, holdsBack(error, of: transfer.request) { return }
        try finish(result, of: job)
      }
    } catch {
      job.isBroken = true
      run.saveFailed(error, of: transfer.request)
      guard case .end = event else { return }
      run.feedAnswered()
      run.feedEnded(job.request)
    }
  }

  /// Determines the save for a response that has ended, and makes it soon.
  private func finish(
    _ result: Result<DownloadSummary, DownloadError>, of job: FeedJob
  ) throws(StoreError) {
    var last = try job.finish(result, at: run.options.now(), knowing: store(job.request))
    switch result {
    case .failure(.hostSilent(let count, let proxy)):
      let save = job.postpone(afterSilenceOf: count, proxy: proxy, now: run.options.now())
      if let date = save.answer?.pause?.until {
        run.notePostponed(job.request, until: date, unanswered: count, proxy: proxy)
      }
      last = save
    case .failure(.hostClosed): run.noteNotPolled(job.request, at: job.request.address)
    case .failure(.redirected(let place, .hostClosed))
    where run.leavesToOthers(job.request, redirectedTo: place):
      run.note(job.request, in: \.overtaken)
    case .failure(.redirected(let place, .hostClosed)):
      last = job.pause(at: place, run.noteNotPolled(job.request, at: place), now: run.options.now())
    case .failure(.withheld): run.note(job.request, in: \.withheld)
    default: break
    }
    guard let last else {
      run.feedAnswered()
      run.feedEnded(job.request)
      return
    }
    if case .success(let summary) = result, holdsBack(last, summary.head, of: job) { return }
    enqueue(last, of: job)
  }

  /// Returns whether a failure is withheld until it is known whether any server can be reached.
  private func holdsBack(_ error: DownloadError, of request: FeedRequest) -> Bool {
    let sign = NetworkSign(error, at: request.address)
    return run.holdBack(request, sign, PollFailure(transfer: error)) { [self] in
      context.executor.enqueue {
        self.assumeIsolated { worker in
          // Without a body, nothing is read from the store.
          try? worker.finish(.failure(error), of: FeedJob(request, options: worker.run.options))
        }
      }
    }
  }

  /// Returns whether an answer that may come from the network itself is withheld until it is known whether
  /// any server can be reached.
  private func holdsBack(_ last: FeedJob.Save, _ head: ResponseHead, of job: FeedJob) -> Bool {
    let request = job.request
    let sign =
      NetworkSign(head, at: request.address)
      ?? NetworkSign(head, page: last.articles.isEmpty ? job.pageHash : nil, at: request.address)
    let failure = last.answer?.failure ?? PollFailure(.noAnswer)
    return run.holdBack(request, sign, failure) { [self] in
      context.executor.enqueue {
        self.assumeIsolated { $0.enqueue(last, of: FeedJob(request, options: $0.run.options)) }
      }
    }
  }

  private func job(of transfer: FeedTransfer, _ id: TransferID) -> FeedJob {
    if let job = jobs[ObjectIdentifier(transfer)] { return job }
    let job = FeedJob(transfer.request, of: id, options: run.options)
    jobs[ObjectIdentifier(transfer)] = job
    return job
  }

  private func forget(_ transfer: FeedTransfer, _ id: TransferID) {
    if let job = jobs.removeValue(forKey: ObjectIdentifier(transfer)) {
      run.noteMemory(-job.memory, of: id, isReceived: true)
    }
  }

  private func store(_ request: FeedRequest) -> FeedInStore {
    FeedInStore(request: request, store: run.contents, context: context)
  }

  /// Adds a save, which is made with other saves or as soon as the worker is idle.
  private func enqueue(_ save: FeedJob.Save, of job: FeedJob, trustsRow: Bool = true) {
    if saves.isEmpty {
      context.executor.enqueueWhenIdle {
        self.assumeIsolated { $0.flush() }
      }
    }
    add(save, of: job, trustsRow: trustsRow)
    if saves.isFull { flush() }
  }

  /// Adds a save. Its memory counts for the response until the store has applied it, because the writer may be
  /// slow.
  private func add(_ save: FeedJob.Save, of job: FeedJob, trustsRow: Bool = true) {
    if let id = job.transfer, !save.articles.isEmpty { run.noteMemory(save.byteCount, of: id) }
    // Another run may be polling the feed if this one was delayed.
    saves.append(SavePush(save, of: job, trustsRow: trustsRow && run.isPunctual), of: job)
  }

  private nonisolated func release(_ save: FeedJob.Save, of transfer: TransferID?) {
    if let transfer, !save.articles.isEmpty { run.noteMemory(-save.byteCount, of: transfer) }
  }

  /// Pushes the saves to the root. A feed has ended when the store has its last save.
  private func flush() {
    let (plain, others) = saves.takeAll()
    if !plain.isEmpty { pushTogether(plain) }
    guard !others.isEmpty else { return }
    let pushes = others.map(\.push)
    let claims = run.isPunctual ? nil : run.claims
    let results = context.performNow { context in SavePush.push(pushes, in: context, checking: claims) }
    for ((job, push), result) in zip(others, results) {
      let save = push.save
      switch result {
      case .success(.saved(let ticket)):
        job.lastPart = ticket
        watch(ticket, save, of: job, trustedRow: push.trustsRow)
      case let other:
        release(save, of: job.transfer)
        // After losing a part of a response, no further part is saved.
        job.isBroken = true
        switch other {
        case .success(.removed): run.noteRemoved(job.request)
        case .success(.overtaken): run.note(job.request, in: \.overtaken)
        case .failure(let error): run.saveFailed(error, of: job.request)
        default: break
        }
        if save.answer != nil { run.feedEnded(job.request) }
      }
      if save.answer != nil { run.feedAnswered() }
    }
    run.hastenSaves()
  }

  /// Pushes plain answers as one save. If one answer makes it fail, each is saved again by itself.
  private func pushTogether(_ entries: [SaveBatch.Entry]) {
    let pushes = entries.map(\.push)
    let ticket = Result { () throws(StoreError) in
      try context.performNow { (context) throws(StoreError) in
        try SavePush.pushTogether(pushes, in: context)
      }
    }
    let end = { @Sendable [run] (failure: StoreError?) in
      for push in pushes {
        switch failure {
        case let error? where error.isRefusal: self.saveAgain(push.save, of: push.request)
        case let error?:
          run.saveFailed(error, of: push.request)
          run.feedEnded(push.request)
        case nil: run.feedEnded(push.request, failed: push.save.answer?.outcome == .failed)
        }
      }
    }
    switch ticket {
    case .success(let ticket?):
      ticket.whenEnded { outcome in
        if case .failure(let error) = outcome { end(error) } else { end(nil) }
      }
    case .success(nil): end(nil)
    case .failure(let error): end(error)
    }
    for _ in pushes { run.feedAnswered() }
  }

  private func watch(_ ticket: SaveTicket, _ save: FeedJob.Save, of job: FeedJob, trustedRow: Bool) {
    let (run, request, tally, answer, transfer) = (run, job.request, job.tally, save.answer, job.transfer)
    // A conflict is found before the save is applied.
    let unapplied = Locked<FeedJob.Save?>(save)
    let free = { @Sendable in
      if let save = unapplied.withLock({ $0.take() }) { self.release(save, of: transfer) }
    }
    ticket.whenEnded(applied: free) { outcome in
      switch outcome {
      case .failure(let error):
        if case .conflict = error, trustedRow, let save = unapplied.withLock({ $0 }) {
          return self.saveAgain(save, of: request)
        }
        run.saveFailed(error, of: request)
      case .success(let result):
        let saved = tally.add(result.changes)
        if let answer, let counts = answer.correction(saved) {
          return self.correct(answer, to: counts, of: request)
        }
      }
      if let answer { run.feedEnded(request, failed: answer.outcome == .failed) }
    }
  }

  /// Corrects the saved counts: another process has saved some of the answer's articles first.
  private nonisolated func correct(
    _ answer: FeedAnswer, to counts: ArticleTally, of request: FeedRequest
  ) {
    run.feedWaitsAgain()
    context.executor.enqueue {
      self.assumeIsolated { worker in
        let run = worker.run
        let ticket = worker.context.performNow { context in
          defer { context.reset() }
          return try? answer.correct(to: counts, of: request, in: context)
        }
        if let ticket { ticket.whenEnded { _ in run.feedEnded(request) } } else { run.feedEnded(request) }
        run.feedAnswered()
      }
    }
  }

  /// Saves a whole response again after reading the feed's row, which has changed since the request.
  private nonisolated func saveAgain(_ save: FeedJob.Save, of request: FeedRequest) {
    run.feedWaitsAgain()
    context.executor.enqueue {
      self.assumeIsolated { worker in
        worker.enqueue(save, of: FeedJob(request, options: worker.run.options), trustsRow: false)
      }
    }
  }
}
