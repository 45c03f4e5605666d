internal import ManagedContext
internal import SQLStatements
internal import Threading

extension PostgreSQLStore {
  /// The reason why a write attempt failed. The transaction is rolled back, unless the connection was lost.
  enum Obstacle: Error {
    /// Another transaction was in the way.
    case overtaken
    /// Another program has changed objects with versions, which must be recorded first.
    case adoption
    /// A change set must be written alone, in steps: the one at a place in the group, or an unknown one.
    case step(set: Int?, StoreError)
    case lost(StoreError)
    case failed(StoreError)

    var storeError: StoreError {
      switch self {
      case .overtaken, .adoption: .busy
      case .step(_, let error), .lost(let error), .failed(let error): error
      }
    }
  }

  /// A transaction before its last statements.
  struct Attempt<Value> {
    let value: Value
    /// The statements before the commit, beginning with the history's statement.
    var statements: [Statement] = []
    /// True if the save is in the history.
    let isNoted: Bool
  }

  /// The maximum count of attempts for a transaction while others are in its way.
  static let mostAttempts = 20
  /// The maximum count of attempts for a group as a whole.
  static let mostAttemptsTogether = 5

  /// Makes and commits a transaction, again until it succeeds or has an obstacle that will not pass.
  ///
  /// If a commit has no answer, the history shows whether it succeeded.
  ///
  /// - Parameters:
  ///   - limit: The maximum count of attempts while other transactions are in the way.
  ///   - body: Begins a transaction, and makes it except for its last statements.
  func untilDone<Value>(
    attempts limit: Int, _ body: (Connection, Int64) throws(Obstacle) -> Attempt<Value>
  ) throws(Obstacle) -> Value {
    let save = writer.withLock { state in
      state.saves += 1
      return state.saves
    }
    var wait = ServerPatience.Wait()
    var attempts = 0
    var lostSession: String?
    var doubtful: Value?
    while true {
      attempts += 1
      do throws(Obstacle) {
        let connection = try takeWriter()
        defer { writing.give(connection) }
        if let session = lostSession {
          try end(session, connection)
          if let value = doubtful, try isCommitted(save, connection) { return value }
          (lostSession, doubtful) = (nil, nil)
        }
        do throws(Obstacle) {
          let attempt = try body(connection, save)
          if attempt.isNoted { doubtful = attempt.value }
          try commit(attempt, on: connection)
          return attempt.value
        } catch {
          if case .lost = error { lostSession = connection.session } else { doubtful = nil }
          throw error
        }
      } catch {
        switch error {
        case .step, .failed: throw error
        case .overtaken:
          if attempts >= limit { throw error }
        case .adoption: try adoptChanges()
        case .lost(let lost):
          guard patience.pause(&wait) else { throw .failed(lost) }
        }
      }
    }
  }

  private func takeWriter() throws(Obstacle) -> Connection {
    do throws(StoreError) { return try writing.take() } catch { throw .failed(error) }
  }

  /// Ends a lost connection's session: it may have locks, or be about to commit.
  private func end(_ session: String, _ connection: Connection) throws(Obstacle) {
    do throws(ServerError) {
      guard try ServerSession.end(session, on: connection) else {
        throw ServerError(connection: "the session of a lost connection does not end")
      }
    } catch {
      throw obstacle(error)
    }
  }

  /// Returns whether the history has a save after a commit without an answer.
  private func isCommitted(_ save: Int64, _ connection: Connection) throws(Obstacle) -> Bool {
    do throws(ServerError) {
      return try connection.hasSave(save, of: process, after: writer.withLock { $0.newest })
    } catch {
      throw obstacle(error)
    }
  }

  private func obstacle(_ error: ServerError) -> Obstacle {
    let found = StoreError(error, store: name)
    return error.isLost ? .lost(found) : .failed(found)
  }

  private func commit(_ attempt: Attempt<some Any>, on connection: Connection) throws(Obstacle) {
    // Inside the transaction, a notification would take a lock that all databases on the server share until
    // the commit ends. It is a hint: an observer that misses it looks later.
    let isNotified = attempt.isNoted && writer.withLock { $0.pace.isDue(at: .now) }
    let notification = isNotified ? Statement("NOTIFY \(quoted(channel))") : nil
    do throws(ServerError) {
      let results = try connection.runTogether(attempt.statements + [Statement("COMMIT")], then: notification)
      if attempt.isNoted, let first = results.first, first.count > 0, let token = first.integer(0, 0) {
        writer.withLock { $0.newest = token }
      }
    } catch {
      throw rolledBack(error, connection)
    }
  }

  /// Rolls the transaction back after an error.
  func rolledBack(_ error: ServerError, _ connection: Connection) -> Obstacle {
    let found = StoreError(error, store: name)
    if error.isLost { return .lost(found) }
    _ = try? connection.execute("ROLLBACK")
    if error.code == ErrorCode.unique, error.constraint?.hasSuffix("_pkey") == true {
      // Another program has used a key from this process.
      writer.withLock { $0.keys.removeAll() }
    }
    switch error.code {
    case let code where ErrorCode.isTransient(code): return .overtaken
    // A step finds out whether a newer program has migrated the store.
    case let code where ErrorCode.isViolation(code) || ErrorCode.isAboutTables(code):
      return .step(set: nil, found)
    default: return .failed(found)
    }
  }

  private func adoptChanges() throws(Obstacle) {
    do throws(StoreError) {
      try write { (connection) throws(StoreError) in
        try adoptChangesOfOthers(transaction(on: connection))
      }
    } catch {
      throw .failed(error)
    }
  }

  /// Rolls the transaction back after an error in a step.
  func rolledBack(_ error: StoreError, _ connection: Connection) -> Obstacle {
    if connection.isLost { return .lost(error) }
    _ = try? connection.execute("ROLLBACK")
    if case .busy = error, ErrorCode.isTransient(connection.lastCode) { return .overtaken }
    return .failed(error)
  }

  /// Runs `body` in a writing transaction. Retries after a lost connection or a conflicting transaction.
  func write<Value>(_ body: (Connection) throws(StoreError) -> Value) throws(StoreError) -> Value {
    guard !isReadOnly else { throw .readOnly(name) }
    do throws(Obstacle) {
      return try untilDone(attempts: Self.mostAttempts) { (connection, _) throws(Obstacle) in
        connection.forgetError()
        do throws(StoreError) {
          try transaction(on: connection).execute("BEGIN")
          return Attempt(value: try body(connection), isNoted: false)
        } catch {
          throw rolledBack(error, connection)
        }
      }
    } catch {
      throw error.storeError
    }
  }
}
