import ManagedContext
import NewsModel
import TextOutput

extension CommandFailure {
  /// Creates the failure for a text that is not a token.
  ///
  /// - Parameter isAcknowledged: True for the token in `--ack`, which must be an event's token.
  init(noToken text: String, isAcknowledged: Bool = false) {
    let others = isAcknowledged ? "" : ", 0 for the beginning, or now"
    self.init(
      .badInput,
      "\(text.isEmpty ? "an empty text" : printable(text)): not a token; give the token of an event, such as 4711.3-9f3ac2d1\(others)"
    )
  }

  /// Creates the failure for an event token whose transaction does not have the event.
  init(noEvent text: String) {
    self.init(.badInput, "\(printable(text)): not a token; its transaction has no event of this number")
  }

  /// Creates the failure for a token that the store cannot continue from.
  ///
  /// - Parameters:
  ///   - token: The token's text.
  ///   - consumer: The consumer with this position; nil for a token that the user has given.
  ///   - advice: The next step; nil for the advice of `changes`.
  init(_ error: HistoryTokenError, token: String, of consumer: String?, advice: String? = nil) {
    let cause =
      switch error {
      case .foreign: "the token belongs to another store, or the store was restored from a backup"
      case .purged: "the store no longer keeps the changes after this token"
      }
    let oldest = error.oldest.map { "the oldest valid token is \($0.text)" } ?? "no changes are kept"
    let advice =
      advice
      ?? consumer.map {
        "newsimport changes --consumer \(shellWord($0)) --since 0 prints what is kept, then --ack continues from there"
      } ?? "--since 0 prints what is kept"
    let subject = consumer.map { "consumer \(printable($0)) at \(token)" } ?? printable(token)
    self.init(.badInput, "\(subject): \(cause); \(oldest). \(advice)")
  }
}

extension ChangeReader {
  /// Returns an event's transaction; nil if it has no event with this number.
  ///
  /// - Throws: ``ManagedContext/StoreError/history(_:)`` if the store does not have the token's transaction.
  static func event(
    of token: ChangeToken, in store: any NewsStore
  ) throws(StoreError) -> HistoryTransaction? {
    guard let position = token.position, let transaction = try transaction(of: token, in: store),
      position >= 1, position <= count(of: transaction)
    else { return nil }
    return transaction
  }
}

extension NewsStack {
  /// Records changes that other programs have made with SQL. The store is opened for writing only if there
  /// are any and the user may write it; otherwise they are not seen.
  ///
  /// - Parameter store: The same store, open for reading.
  static func recordChangesOfOthers(_ store: any NewsStore, _ options: StoreOptions) throws {
    let isNeeded = try location(options).checking { try store.hasUnrecordedChanges() }
    guard isNeeded, location(options).isWritable else { return }
    try writing(options) { (store) throws(StoreError) in try store.recordChangesOfOthers() }
  }

  /// Runs `body` with the store open for writing, and closes it.
  static func writing<Value>(
    _ options: StoreOptions, _ body: (any NewsStore) throws(StoreError) -> Value
  ) throws -> Value {
    guard let store = try location(options).open(for: .writing) else { throw noStore(options) }
    defer { try? store.close() }
    do throws(StoreError) {
      return try body(store)
    } catch .history(let error) {
      throw StoreError.history(error)
    } catch {
      throw CommandFailure(error, store: location(options))
    }
  }
}
