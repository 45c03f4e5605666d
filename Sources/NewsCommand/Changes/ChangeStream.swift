import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import Threading

/// One run of `changes`: prints the events in the history, and then the events in new commits.
@MainActor
final class ChangeStream {
  private let command: ChangesCommand
  private let location: StoreLocation
  private let presence: StorePresence
  private let store: any NewsStore
  private let coordinator: PersistentStoreCoordinator
  private var printer: ChangePrinter
  /// The last transaction that was printed completely.
  private var cursor = HistoryToken(0)
  /// The count of events in the next transaction that were read before.
  private var position = 0
  /// The transaction that must be the next one; nil for any.
  private var next: ChangeToken?
  /// The count of events that may still be printed.
  private var left: Int
  /// True if transactions are missing among those that were read.
  private var hasGap = false

  /// Opens the store, and records the changes that other programs have made with SQL.
  init(_ command: ChangesCommand) throws {
    self.command = command
    location = NewsStack.location(command.storeOptions)
    presence = StorePresence(location)
    store = try NewsStack.readOnly(command.storeOptions)
    coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    printer = ChangePrinter(coordinator, isJSON: command.json, isFull: command.full)
    left = command.limit ?? .max
    try checkHistory()
    try NewsStack.recordChangesOfOthers(store, command.storeOptions)
  }

  /// - Throws: ``CommandFailure`` with status 65 if another program has removed what keeps the changes.
  private func checkHistory() throws {
    guard let fault = try checked({ () throws(StoreError) in try store.historyFault() }) else { return }
    throw CommandFailure(
      .badInput,
      "\(printable(location.name)): \(fault): changes are missed; \(location.adviceForRepair)")
  }

  /// Prints the newest transaction's token.
  func printNewestToken() throws {
    let token = try checked { () throws(StoreError) in try newest() }.text
    if command.json { writeJSON(["token": token]) } else { Output.standard.print("\(token)\n") }
  }

  private func newest() throws(StoreError) -> HistoryToken {
    try coordinator.currentHistoryToken() ?? HistoryToken(0)
  }

  /// Prints what follows the start, and waits for more if the user wants that.
  func run() async throws {
    defer { printLastToken() }
    try await follow()
    if hasGap { throw CommandFailure(.badInput) }
  }

  /// Reports that a transaction is missing, once.
  private func noteGap(_ number: Int64) {
    guard !hasGap else { return }
    hasGap = true
    Output.error.warn(
      "\(printable(location.name)): another program has deleted transaction \(number) of the history; changes are missed, and what follows is printed"
    )
  }

  /// Prints the position after the last event, which lines for people do not have.
  private func printLastToken() {
    guard !command.json, !Output.standard.isReaderGone, let token = printer.lastToken else { return }
    let next = command.consumer.map { "--consumer \(shellWord($0)) --ack \(token)" } ?? "--since \(token)"
    Output.error.print("last token \(token).   Next: newsimport changes \(next)\n")
  }

  private func follow() async throws {
    try begin()
    guard command.follow else {
      let start = cursor
      if try await read({ true }), printer.lastToken == nil, !hasGap, cursor != start { try passOver() }
      return
    }
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let isNotified = Locked(true)
    let observation = try checked { () throws(StoreError) in
      try store.observeRemoteChanges { _ in
        isNotified.withLock { $0 = true }
        wake.yield()
      }
    }
    defer { observation?.cancel() }
    let signals = SignalWatch { [store] in
      store.stopWaiting()
      wake.yield()
    }
    // This task is not woken if the store is removed, if the output's reader ends, or by a change with SQL.
    let clock = Task {
      while (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(500))) != nil { wake.yield() }
    }
    defer { clock.cancel() }
    wake.yield()
    var looked = ContinuousClock.now
    for await _ in wakes {
      if let status = signals.status { throw CommandFailure(status) }
      if Output.standard.isReaderGone { return }
      let now = ContinuousClock.now
      guard isNotified.withLock({ $0 }) || now - looked >= location.lookInterval else { continue }
      isNotified.withLock { $0 = false }
      looked = now
      guard presence.isThere(store) else {
        throw CommandFailure(
          .noInput,
          "\(printable(location.name)): the store was removed or replaced; all events up to --since \(cursor.text) were printed"
        )
      }
      do {
        try checkHistory()
        try NewsStack.recordChangesOfOthers(store, command.storeOptions)
        guard try await read({ signals.status == nil }) else { return }
      } catch let failure as CommandFailure where failure.status == .busy {
        // The next look continues at the cursor. It does not wait for the interval's end.
        isNotified.withLock { $0 = true }
      }
      Output.standard.finish()
      if Output.standard.isClosed { return }
    }
  }

  // MARK: The start

  /// Finds the position at which to start.
  private func begin() throws {
    if let consumer = command.consumer { return try begin(as: consumer) }
    try start(at: command.since ?? "0")
  }

  private func begin(as consumer: String) throws {
    let known = try checked { () throws(StoreError) in try ChangeConsumers.find(consumer, in: store) }
    if let known {
      (cursor, position) = (known.token, known.position)
      do throws(StoreError) {
        _ = try store.followedHistory(after: cursor, limit: 0)
      } catch {
        // Only a consumer whose position is no longer valid starts again.
        guard let since = command.since, case .history = error else {
          throw failure(error, token: cursor.text, of: consumer)
        }
        try start(at: since)
      }
    } else if let since = command.since {
      try start(at: since)
    }
    try ChangeConsumers(command.storeOptions).touch(consumer, startingAt: cursor)
  }

  private func start(at text: String) throws {
    position = 0
    if text == "now" {
      cursor = try checked { () throws(StoreError) in try newest() }
      return
    }
    guard let token = ChangeToken(text: text) else { throw CommandFailure(noToken: text) }
    do throws(StoreError) {
      _ = try store.followedHistory(after: token.transaction, limit: 0)
      guard let position = token.position else {
        cursor = token.transaction
        return
      }
      if try ChangeReader.event(of: token, in: store) != nil {
        (cursor, self.position) = (HistoryToken(token.transaction.number - 1), position)
        next = token
        return
      }
    } catch {
      throw failure(error, token: text, of: nil)
    }
    throw CommandFailure(noEvent: text)
  }

  /// Moves the consumer after transactions without events for it: there is no token to acknowledge.
  private func passOver() throws {
    guard let consumer = command.consumer else { return }
    _ = try NewsStack.writing(command.storeOptions) { [cursor] (store) throws(StoreError) in
      try store.acknowledge(cursor, by: consumer, at: Date())
    }
  }

  // MARK: Reading

  /// Prints the events after the cursor.
  ///
  /// - Parameter isWanted: Returns false to stop before the next transaction.
  /// - Returns: False if no further event is wanted.
  private func read(_ isWanted: () -> Bool) async throws -> Bool {
    while true {
      let part: HistoryPart
      do throws(StoreError) {
        part = try coordinator.followedHistory(after: cursor, limit: Self.part)
        // A transaction that is purged after its token was verified would be missed.
        if let next, part.transactions.first?.token != next.transaction {
          _ = try store.followedHistory(after: next.transaction, limit: 0)
        }
      } catch {
        throw failure(error, token: next?.text ?? cursor.text, of: nil)
      }
      next = nil
      printer.begin()
      for transaction in part.transactions {
        if let missing = part.missing, missing < transaction.token.number { noteGap(missing) }
        guard try checked({ () throws(StoreError) in try print(transaction) }) else { return false }
        (cursor, position) = (transaction.token, 0)
        await Task.yield()
        guard isWanted() else { return true }
      }
      if let missing = part.missing { noteGap(missing) }
      if let end = part.end { cursor = end }
      guard part.transactions.count == Self.part else { return true }
    }
  }

  private func print(_ transaction: HistoryTransaction) throws(StoreError) -> Bool {
    let reader = ChangeReader(
      coordinator, printer.source, columns: printer.columns, changedColumns: printer.changedColumns)
    return try reader.forEachPage(of: transaction, after: position, withMarks: command.marks) {
      (events) throws(StoreError) in
      let page = events.prefix(left)
      try printer.write(Array(page), of: transaction)
      left -= page.count
      return left > 0 && !Output.standard.isClosed
    }
  }

  /// The count of transactions that are read together.
  private static let part = 20

  private func failure(_ error: StoreError, token: String, of consumer: String?) -> CommandFailure {
    if case .history(let error) = error { return CommandFailure(error, token: token, of: consumer) }
    return CommandFailure(error, store: location)
  }

  private func checked<Value>(_ body: () throws(StoreError) -> Value) throws -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      throw failure(error, token: cursor.text, of: nil)
    }
  }
}
