import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// The change consumers: named readers with positions in the store.
@MainActor
struct ChangeConsumers {
  private let options: StoreOptions

  init(_ options: StoreOptions) { self.options = options }

  /// Prints the consumers, each with the count of transactions with changes that it has not acknowledged.
  func list(json: Bool) throws {
    let store = try NewsStack.readOnly(options)
    var rows: [[String]] = []
    try NewsStack.location(options).checking {
      for consumer in try store.consumers() {
        let position = ChangeToken(consumer)
        let behind = try Self.transactions(after: consumer, in: store)
        if json {
          writeJSON([
            "consumer": consumer.name, "token": position.text, "acknowledged": consumer.position,
            "seen": consumer.seen, "behind": behind,
          ])
        } else {
          rows.append([
            printable(consumer.name), "at \(position.text)", "seen \(localMinute(consumer.seen))",
            behind.map { $0 == 0 ? "has read everything" : "\(counted($0, "transaction")) to read" }
              ?? "its position is no longer kept",
          ])
        }
      }
    }
    if !json, rows.isEmpty {
      Output.error.print("no consumers.   Next: newsimport changes --consumer NAME\n")
    }
    Output.standard.print(aligned: rows)
  }

  /// Counts the transactions with changes after a consumer's position; nil if it cannot continue.
  private static func transactions(
    after consumer: HistoryConsumer, in store: any NewsStore
  ) throws(StoreError) -> Int? {
    var (count, start) = (0, consumer.token)
    do throws(StoreError) {
      while true {
        let part = try store.followedHistory(after: start, limit: 50)
        count += part.transactions.count
        guard part.transactions.count == 50, let end = part.end else { return count }
        start = end
      }
    } catch .history {
      return nil
    }
  }

  /// Returns a consumer; nil if none has this name.
  static func find(_ name: String, in store: any NewsStore) throws(StoreError) -> HistoryConsumer? {
    try store.consumers().named(name)
  }

  private func noConsumer(_ name: String) -> CommandFailure {
    CommandFailure(
      .noInput,
      "\(printable(name)): no such consumer; newsimport changes --list shows them, and changes --consumer NAME adds one"
    )
  }

  /// Removes a consumer.
  func forget(_ name: String) throws {
    let isKnown = try NewsStack.writing(options) { (store) throws(StoreError) in
      guard try Self.find(name, in: store) != nil else { return false }
      try store.removeConsumer(named: name)
      return true
    }
    guard isKnown else { throw noConsumer(name) }
  }

  /// Records that a consumer was used, and creates it if it is new.
  func touch(_ name: String, startingAt start: HistoryToken) throws {
    try NewsStack.writing(options) { (store) throws(StoreError) in
      if try Self.find(name, in: store) != nil {
        try store.touchConsumer(named: name, at: Date())
      } else {
        try store.acknowledge(start, by: name, at: Date())
      }
    }
  }

  /// Moves a consumer after an event.
  func acknowledge(_ text: String, by name: String) throws {
    guard let token = ChangeToken(text: text) else {
      throw CommandFailure(noToken: text, isAcknowledged: true)
    }
    do {
      let isKnown = try NewsStack.writing(options) { (store) throws(StoreError) -> Bool? in
        guard try Self.find(name, in: store) != nil else { return false }
        guard let position = token.position else {
          try store.acknowledge(token.transaction, by: name, at: Date())
          return true
        }
        guard let first = try ChangeReader.event(of: token, in: store) else { return nil }
        if position < ChangeReader.count(of: first) {
          try store.acknowledge(position, of: first.token, by: name)
        } else {
          try store.acknowledge(token.transaction, by: name, at: Date())
        }
        return true
      }
      guard let isKnown else { throw CommandFailure(noEvent: text) }
      if !isKnown { throw noConsumer(name) }
    } catch StoreError.history(let error) {
      throw CommandFailure(error, token: text, of: nil)
    }
  }
}
