import Foundation
package import ManagedContext
package import NewsConfiguration
package import NewsModel

/// One run of a hook, which this process has claimed: first the failures that are due, then the new events.
///
/// If the hook is put off, the waiting events are stored beside the failures. So each run's end settles which
/// articles are the hook's, and later changes to articles, feeds and regions remove none.
///
/// A command comes first, then its failures are saved, then the consumer is moved: a kill loses nothing.
@MainActor
package struct HookRun {
  /// A run's results.
  package struct Result {
    /// Articles that were given to commands.
    package var articles = 0
    /// Articles that failed.
    package var failed = 0
    /// The last failure for an article or the hook.
    package var error: HookError?
    /// True if the hook was put off as a whole.
    package var isPutOff = false
    /// True if the user has stopped the run.
    package var isStopped = false
    /// The newest transaction that was read; nil if some were left.
    package var end: HistoryToken?
    /// The failures that are left.
    package var rows: [StoredRow<HookFailure>] = []
    /// True if failures from before were reported to the user.
    package var wasReported = false
    /// True if the history no longer has all changes since the last run.
    package var hasGap = false
    /// Articles that were deleted before the command handled them.
    package var deleted = 0
    package init() {}
  }

  private let hook: Hook
  private let lock: Int32
  private let store: any PersistentStore
  private let places: Places
  private let matcher: () throws -> HookMatcher
  private let stop: HookStop
  private let includesOld: Bool
  private let failures: HookFailures
  private let coordinator: PersistentStoreCoordinator
  private let environment: [String: String]
  private var patience = HookPatience()
  private var result = Result()
  /// The tokens of events with failures.
  private var failing: Set<String> = []
  /// True if a failure of the hook as a whole is stored.
  private var wasPutOff = false
  private var batch = HookBatch()

  /// The places that commands get in their environment; see ``HookEnvironment``.
  package typealias Places = (store: String, configuration: String?)

  /// - Parameters:
  ///   - lock: The descriptor of the hook's lock.
  ///   - includesOld: True to include articles from first imports and from files.
  ///   - matcher: Returns the hook's articles. Throws if a query has unknown names.
  package init(
    _ hook: Hook, lock: Int32, in store: any PersistentStore, _ places: Places, _ failures: HookFailures,
    includesOld: Bool, until stop: HookStop, matcher: @escaping () throws -> HookMatcher
  ) {
    (self.hook, self.lock, self.store, self.places, self.stop) = (hook, lock, store, places, stop)
    (self.failures, self.includesOld, self.matcher) = (failures, includesOld, matcher)
    coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    environment = ProcessInfo.processInfo.environment
  }

  /// Runs the hook, unless its next attempt is later.
  ///
  /// - Throws: ``StoreError``, and the failure of `matcher`.
  package mutating func run() async throws -> Result {
    let (rows, now) = (try await failures.all(of: hook.name), store.now())
    failing = Set(rows.map(\.event))
    result.wasReported = rows.contains(where: \.isReported)
    if let whole = rows.first(where: \.isOfHook) {
      wasPutOff = true
      // A program that the user has corrected is tried at once.
      if !HookBackoff.isDue(whole.next, at: now), whole.program.utf8.elementsEqual(hook.command[0].utf8) {
        try await keepWaiting()
        result.rows = try await failures.all(of: hook.name)
        return result
      }
    }
    let failed = rows.filter { $0.isFailing && HookBackoff.isDue($0.next, at: now) }
    let waiting = rows.filter(\.isWaiting)
    // Articles that always fail may have put off a hook that works. Waiting ones show whether it does.
    let first = wasPutOff ? waiting.prefix(hook.batch) : []
    try await handleWaiting(first)
    let works = !first.isEmpty && !wasPutOff
    if !works, !isOver { try await repeatFailures(failed) }
    if !isOver { try await handleWaiting(waiting.dropFirst(first.count)) }
    if !isOver { try await handleNews() }
    if works, !isOver { try await repeatFailures(failed) }
    // Nothing is left that the hook was put off for.
    if !isOver { try await succeeded() }
    // Later runs leave out articles from first imports and from files, unless they are stored.
    if result.isPutOff || result.isStopped && includesOld { try await keepWaiting() }
    result.rows = try await failures.all(of: hook.name)
    return result
  }

  /// Stores the events that wait, and moves the hook's position after them.
  ///
  /// - Throws: ``StoreError``.
  package mutating func keepWaiting() async throws {
    // Without the names that a query needs, the events stay in the history.
    guard let matcher = try? matcher() else { return }
    let newest = try store.currentHistoryToken() ?? HistoryToken(0)
    guard let consumer = try store.consumers().named(hook.consumer),
      consumer.token != newest || consumer.position != 0
    else { return }
    var reader = try reader(after: consumer, matcher, upTo: newest, columns: Article.withoutContent)
    while let page = try reader.nextPage() {
      let waiting = zip(page.tokens, page.events).filter { !failing.contains($0.0) }
        .map { token, event in
          WaitingEvent(hook: hook.name, token: token, article: event.id, changed: page.transaction.date)
        }
      try await failures.keep(waiting, at: store.now())
      failing.formUnion(waiting.map(\.token))
      await Task.yield()
    }
    if reader.hasGap { result.hasGap = true }
    try advance(consumer, to: reader.cursor)
  }

  /// True if no further command is to be started.
  private var isOver: Bool { result.isPutOff || result.isStopped }

  // MARK: Failures

  private mutating func repeatFailures(_ rows: [StoredRow<HookFailure>]) async throws {
    for row in rows {
      guard let event = try await event(of: row) else { continue }
      try await handleEach([event])
      if isOver { return }
    }
  }

  /// Passes articles that were stored while the hook was put off to commands.
  private mutating func handleWaiting(_ rows: ArraySlice<StoredRow<HookFailure>>) async throws {
    for row in rows {
      guard let event = try await event(of: row) else { continue }
      batch.add(event)
      if batch.isFull(of: hook.batch) { try await handleBatch() }
      if stop.isStopped { result.isStopped = true }
      if isOver { return }
    }
    if !batch.isEmpty { try await handleBatch() }
  }

  /// Returns a failure's event with the article as it is now. An article that no longer exists is given up.
  private mutating func event(of row: StoredRow<HookFailure>) async throws(StoreError) -> HookEvent? {
    if let event = try storedEvent(of: row) { return event }
    try await failures.remove([row.event], of: hook.name)
    failing.remove(row.event)
    result.deleted += 1
    return nil
  }

  private func storedEvent(of row: StoredRow<HookFailure>) throws(StoreError) -> HookEvent? {
    let source = DataSource(ManagedObjectContext(parent: coordinator))
    guard let number = row.article, let id = source.articleID(number),
      let token = ChangeToken(text: row.event), let article = try source.articles([id]).first
    else { return nil }
    let isNew = hook.kind == .new
    let update =
      try isNew
      ? nil : ChangeReader(coordinator, source).update(of: id, in: token.transaction.number)
    let change = HookInputs.Change(
      token: row.event, date: row.changed ?? row.since, place: nil, row: article, update: update, isNew: isNew
    )
    return try HookInputs(hook, coordinator, source).events([change]).first
  }

  // MARK: New events

  private mutating func handleNews() async throws {
    let newest = try store.currentHistoryToken() ?? HistoryToken(0)
    guard let consumer = try store.consumers().named(hook.consumer) else {
      try store.acknowledge(newest, by: hook.consumer, at: store.now())
      result.end = newest
      return
    }
    let matcher = try matcher()
    var reader = try reader(after: consumer, matcher, upTo: newest, columns: .all)
    try await handle(&reader)
    if reader.hasGap { result.hasGap = true }
    if isOver { return }
    try advance(consumer, to: reader.cursor)
    result.end = reader.cursor
  }

  /// Returns a reader of the events after the hook's position.
  private mutating func reader(
    after consumer: HistoryConsumer, _ matcher: HookMatcher, upTo newest: HistoryToken,
    columns: AttributeSet
  ) throws(StoreError) -> HookReader {
    let isPurged = try isPurged(consumer.token)
    if isPurged { result.hasGap = true }
    // After a gap, the oldest transaction that is kept is the next one.
    return HookReader(
      hook, matcher, coordinator, includesOld: includesOld, columns: columns,
      after: isPurged ? HistoryToken(0) : consumer.token, position: isPurged ? 0 : consumer.position,
      upTo: newest)
  }

  /// Moves the hook's position to the end of what was read.
  private func advance(_ consumer: HistoryConsumer, to end: HistoryToken) throws(StoreError) {
    // A consumer that was seen long ago is also written, so that its transactions are kept.
    let isOld = abs(consumer.seen.timeIntervalSinceNow) > 86400
    if end != consumer.token || consumer.position != 0 || result.hasGap || isOld {
      try store.acknowledge(end, position: 0, by: hook.consumer, at: store.now(), force: result.hasGap)
    }
  }

  /// Returns whether the history no longer has a consumer's transaction.
  private func isPurged(_ token: HistoryToken) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try store.followedHistory(after: token, limit: 0)
      return false
    } catch {
      if case .history(.purged) = error { return true }
      throw error
    }
  }

  /// Passes the events that are read to commands.
  private mutating func handle(_ reader: inout HookReader) async throws {
    while !isOver {
      guard let page = try reader.next() else { break }
      for event in page where !failing.contains(event.token) {
        batch.add(event)
        if batch.isFull(of: hook.batch) { try await handleBatch() }
        if isOver { return }
      }
      await Task.yield()
      if stop.isStopped { result.isStopped = true }
    }
    if !isOver, !batch.isEmpty { try await handleBatch() }
  }

  /// Runs the command for the events that were collected, and article by article if it fails.
  private mutating func handleBatch() async throws {
    let events = batch.take()
    guard events.count > 1 else { return try await handleEach(events) }
    switch await command(events) {
    case .success:
      patience.note(nil)
      result.articles += events.count
      try await succeeded()
      try await save(events, [])
    case .failure(let error) where error.isOfHook:
      result.articles += events.count
      try await putOff(error)
    case .failure(let error):
      patience.note(error)
      try await handleEach(events)
    case .stopped: result.isStopped = true
    }
  }

  /// Runs the command for each event, and saves the results.
  private mutating func handleEach(_ events: [HookEvent]) async throws {
    var (done, failed): ([HookEvent], [HookFailures.Failed]) = ([], [])
    for event in events {
      let end = await command([event])
      if end == .stopped { result.isStopped = true } else { result.articles += 1 }
      switch end {
      case .success:
        patience.note(nil)
        try await succeeded()
      case .failure(let error) where error.isOfHook: try await putOff(error)
      case .failure(let error):
        patience.note(error)
        failed.append(
          HookFailures.Failed(event: event.token, article: event.article, changed: event.date, error: error))
      case .stopped: break
      }
      if isOver { break }
      done.append(event)
      if patience.isOver { break }
    }
    try await save(done, failed)
    if patience.isOver, !isOver { try await putOff() }
  }

  /// Saves the failures among events, and then that the others are handled: deletes the stored ones, and
  /// moves the hook's position after the rest.
  private mutating func save(_ events: [HookEvent], _ failed: [HookFailures.Failed]) async throws(StoreError)
  {
    result.failed += failed.count
    result.error = failed.last?.error ?? result.error
    failing.formUnion(failed.map(\.event))
    try await failures.note(failed, of: hook.name, program: hook.command[0], at: store.now())
    let stored = Set(events.filter { $0.place == nil }.map(\.token)).subtracting(failed.map(\.event))
    try await failures.remove(stored, of: hook.name)
    failing.subtract(stored)
    guard let place = events.last?.place else { return }
    try store.acknowledge(
      place.position, of: place.transaction, by: hook.consumer, force: result.hasGap)
  }

  // MARK: The hook as a whole

  /// Puts the hook off: its events wait for the next attempt.
  ///
  /// - Parameter error: The cause; nil for an article's last failure.
  private mutating func putOff(_ error: HookError? = nil) async throws(StoreError) {
    result.isPutOff = true
    guard let error = error ?? result.error else { return }
    result.error = error
    wasPutOff = true
    try await failures.note(
      [HookFailures.Failed(error: error)], of: hook.name, program: hook.command[0], at: store.now())
  }

  /// Notes a success, after which the hook is no longer put off.
  private mutating func succeeded() async throws(StoreError) {
    guard wasPutOff else { return }
    wasPutOff = false
    try await failures.remove([""], of: hook.name)
  }

  // MARK: Commands

  private func command(_ events: [HookEvent]) async -> HookProcess.End {
    if stop.isStopped { return .stopped }
    let variables = HookEnvironment.variables(
      environment, hook: hook.name, event: events.first?.token ?? "",
      store: places.store, configuration: places.configuration)
    let process = HookProcess(
      words: hook.command, environment: variables, timeout: hook.timeout, lock: lock)
    return await process.run(events.input, until: stop)
  }
}
