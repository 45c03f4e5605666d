internal import Foundation
public import ManagedContext
internal import Threading

/// What the writer of a store knows from one save to the next.
struct WriterState: Sendable {
  var keys = KeyBlocks()
  var pace = NotificationPace()
  /// The number of the last save of this process, with which it is found in the history.
  var saves: Int64 = 0
  /// The number of a transaction before the next save.
  var newest: Int64

  init(newest: Int64) { self.newest = newest }
}

extension PostgreSQLStore {
  /// Writes change sets, all of them in one transaction if none has a conflict.
  ///
  /// A transaction takes two round trips, a third one for keys of new objects, and one more for new versions of objects.
  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    guard !isReadOnly else { return group.map { _ in .failure(.readOnly(name)) } }
    do throws(StoreError) {
      try purgeIfDue()
    } catch {
      return group.map { _ in .failure(error) }
    }
    return writeParts(group[...])
  }

  private func purgeIfDue() throws(StoreError) {
    let date = now()
    guard options.keepsHistory, purge.isDue(at: date) else { return }
    try write { (connection) throws(StoreError) in try purge.run(at: date, transaction(on: connection)) }
  }

  /// Writes a part of a group in one transaction, or in several around the change set that cannot be written with the others.
  private func writeParts(_ group: ArraySlice<ChangeSet>) -> [Result<CommitResult, StoreError>] {
    guard !group.isEmpty else { return [] }
    do throws(Obstacle) {
      return try untilDone(attempts: Self.mostAttemptsTogether) { (connection, save) throws(Obstacle) in
        try writeTogether(group, on: connection, save)
      }.map { .success($0) }
    } catch {
      let set: Int?
      switch error {
      case .step(let found, _): set = found
      case .overtaken: set = nil
      case .adoption, .lost, .failed: return group.map { _ in .failure(error.storeError) }
      }
      if group.count == 1 { return [writeAlone(group[group.startIndex])] }
      // The order of the change sets stays.
      let middle = group.startIndex + (set ?? group.count / 2)
      let end = set == nil ? middle : middle + 1
      return [group[..<middle], group[middle..<end], group[end...]].reduce(into: []) { results, part in
        // A server that is away is not waited for again.
        if case .failure(let error)? = results.last, !error.isRefusal {
          results += part.map { _ in .failure(error) }
        } else {
          results += writeParts(part)
        }
      }
    }
  }

  /// Writes a change set step by step: the merge policy resolves its conflicts.
  private func writeAlone(_ changes: ChangeSet) -> Result<CommitResult, StoreError> {
    do throws(StoreError) {
      let changes = try changes.withServerText(model)
      do throws(Obstacle) {
        return .success(
          try untilDone(attempts: Self.mostAttempts) { (connection, save) throws(Obstacle) in
            try writeSteps(of: changes, on: connection, save)
          })
      } catch {
        throw error.storeError
      }
    } catch {
      return .failure(error)
    }
  }

  // MARK: Attempts

  /// The reason why an attempt to write has failed. Its transaction is rolled back, unless the connection was lost.
  private enum Obstacle: Error {
    /// Another transaction was in the way.
    case overtaken
    /// Another program has changed objects with versions, which must be recorded first.
    case adoption
    /// A change set must be written alone, in steps: the one at a place of the group, or an unknown one.
    case step(set: Int?, StoreError)
    /// The connection was lost.
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
  private struct Attempt<Value> {
    let value: Value
    /// The statements before the commit, beginning with that of the history.
    var statements: [Statement] = []
    /// True if the save is in the history.
    let isNoted: Bool
  }

  /// The number of times that a transaction is tried while others are in its way.
  private static let mostAttempts = 20
  /// The number of times that a group is tried as a whole.
  private static let mostAttemptsTogether = 5

  /// Makes and commits a transaction, again until it succeeds or has an obstacle that will not pass.
  ///
  /// If a commit has no answer, the history shows whether it succeeded.
  ///
  /// - Parameters:
  ///   - limit: The number of attempts while other transactions are in the way.
  ///   - body: Begins a transaction, and makes it except for its last statements.
  private func untilDone<Value>(
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

  /// Ends the session of a lost connection: it may have locks, or be about to commit.
  private func end(_ session: String, _ connection: Connection) throws(Obstacle) {
    do throws(ServerError) {
      guard try ServerSession.end(session, on: connection) else {
        throw ServerError(connection: "the session of a lost connection does not end")
      }
    } catch {
      throw obstacle(error)
    }
  }

  /// Returns whether the history has a save whose commit had no answer.
  private func isCommitted(_ save: Int64, _ connection: Connection) throws(Obstacle) -> Bool {
    do throws(ServerError) {
      return try HistoryTable(connection).hasSave(save, of: process, after: writer.withLock { $0.newest })
    } catch {
      throw obstacle(error)
    }
  }

  private func obstacle(_ error: ServerError) -> Obstacle {
    let found = StoreError(error, store: name)
    return error.isLost ? .lost(found) : .failed(found)
  }

  private func commit(_ attempt: Attempt<some Any>, on connection: Connection) throws(Obstacle) {
    // Inside the transaction, a notification would take a lock that all databases of the server share until the end of the
    // commit. It is a hint: an observer that misses it looks later.
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
  private func rolledBack(_ error: ServerError, _ connection: Connection) -> Obstacle {
    let found = StoreError(error, store: name)
    if error.isLost { return .lost(found) }
    _ = try? connection.execute("ROLLBACK")
    if error.code == ErrorCode.unique, error.constraint?.hasSuffix("_pkey") == true {
      // Another program has used a key of this process.
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
        let transaction = transaction(on: connection)
        try adoptChangesOfOthers(versionTables.map { VersionKeeping($0, in: transaction) }, transaction)
      }
    } catch {
      throw .failed(error)
    }
  }

  // MARK: Groups

  /// Writes a group in one or two round trips, without the history.
  private func writeTogether(
    _ group: ArraySlice<ChangeSet>, on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<[CommitResult]> {
    do throws(ServerError) {
      try takeKeys(for: group, on: connection)
    } catch {
      throw rolledBack(error, connection)
    }
    var keys = writer.withLock { $0.keys }
    guard let plan = GroupPlan(group, model, number, keys: &keys) else {
      throw .step(set: nil, .request("\(name): a save must be written in steps"))
    }
    let kept = { [model, options] (entity: EntityIndex) in
      options.keepsHistory ? model[entity].deletedAttributes : []
    }
    let blocks = plan.statements.reduce(into: [EntityIndex: Int]()) { blocks, statement in
      guard statement.insertsRows else { return }
      let needed = keys.needed(after: statement.count, of: statement.entity)
      if needed > 0 { blocks[statement.entity] = needed }
    }
    let changed = versionTables.filter { table in group.contains { $0.mayChange(table.versions.owner) } }
    let first = [Statement("BEGIN"), Self.version] + versionTables.map(\.hasUnfinished)
    let last =
      (plan.mayBreakReferences ? [Statement("SET CONSTRAINTS ALL IMMEDIATE")] : [])
      + blocks.map { KeyBlocks.taking($0.value, of: model[$0.key]) } + changed.map(\.unfinished)
    let found: [QueryResult]
    do throws(ServerError) {
      // The arrays of one statement at a time are in memory.
      let written = plan.statements.lazy.flatMap { [model] in $0.statements(model, kept: kept($0.entity)) }
      found = try connection.runTogether(
        [AnySequence(first), AnySequence(written), AnySequence(last)].joined())
    } catch {
      throw rolledBack(error, connection)
    }
    do throws(Obstacle) {
      do throws(StoreError) { try check(version: found[1]) } catch { throw .failed(error) }
      if found[2..<first.count].contains(where: { $0.count > 0 }) { throw .adoption }
      var results = plan.results
      var deleted: [ManagedObjectID: [AttributeValue]] = [:]
      var place = first.count
      for statement in plan.statements {
        let result = found[place + statement.results.place]
        place += statement.results.count
        let outcome = statement.note(
          result, model, number, kept: kept(statement.entity), in: &results, &deleted, &keys)
        guard case .overtaken(let set) = outcome else { continue }
        throw set.map { .step(set: $0, .busy) } ?? .overtaken
      }
      for (entity, result) in zip(blocks.keys, found[(found.count - changed.count - blocks.count)...]) {
        keys.add(KeyBlocks.ranges(result), of: entity)
      }
      writer.withLock { [keys] in $0.keys = keys }
      return try noted(
        group, results, deleted, zip(changed, found.suffix(changed.count)), on: connection, save)
    } catch {
      if case .lost = error { throw error }
      _ = try? connection.execute("ROLLBACK")
      throw error
    }
  }

  /// Takes keys for new objects, so that others in the group can refer to them.
  private func takeKeys(for group: ArraySlice<ChangeSet>, on connection: Connection) throws(ServerError) {
    let keys = writer.withLock { $0.keys }
    let missing = GroupPlan.newObjects(in: group).map { ($0.key, $0.value - keys.count(of: $0.key)) }.filter {
      $0.1 > 0
    }
    if missing.isEmpty { return }
    let found = try connection.runTogether(missing.map { KeyBlocks.taking($0.1, of: model[$0.0]) })
    writer.withLock { state in
      for ((entity, _), result) in zip(missing, found) {
        state.keys.add(KeyBlocks.ranges(result), of: entity)
      }
    }
  }

  /// Returns the last statements of a group: those of the history and of versions.
  private func noted(
    _ group: ArraySlice<ChangeSet>, _ results: [CommitResult], _ deleted: [ManagedObjectID: [AttributeValue]],
    _ unfinished: some Sequence<(VersionTable, QueryResult)>, on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<[CommitResult]> {
    let date = now()
    let runs = options.keepsHistory ? model.recorded(zip(group, results)) : []
    let rows = runs.map { NewHistoryRow($0.changes, deleted, author: $0.author, model) }
    var completions: [VersionCompletion] = []
    for (table, result) in unfinished where result.count > 0 {
      guard let completion = VersionCompletion(table, table.rowsByObject(result)) else {
        return try notedInSteps(results, runs.map(\.changes), rows, at: date, on: connection, save)
      }
      completions.append(completion)
    }
    var statements: [Statement] = []
    if !runs.isEmpty {
      statements.append(
        HistoryTable.appending(rows, process: process, save: save, date: date, version: model.version))
    }
    if !completions.isEmpty {
      let earlier: [QueryResult]
      do throws(ServerError) {
        earlier = try connection.runTogether(completions.map(\.earlier))
      } catch {
        throw rolledBack(error, connection)
      }
      for (completion, earlier) in zip(completions, earlier) {
        statements += completion.statements(
          after: earlier, runs.map(\.changes), at: options.keepsHistory ? date : nil, store: number)
      }
    }
    return Attempt(value: results, statements: statements, isNoted: !runs.isEmpty)
  }

  // MARK: Steps

  /// Does the same for objects that the group has changed several times.
  private func notedInSteps(
    _ results: [CommitResult], _ runs: [ContextChanges], _ rows: [NewHistoryRow], at date: Date,
    on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<[CommitResult]> {
    connection.forgetError()
    do throws(StoreError) {
      let transaction = transaction(on: connection)
      var noted = NotedTransactions(date: date)
      if !rows.isEmpty {
        let first = try append(rows, process: process, save: save, date: date, transaction)
        for (place, run) in runs.enumerated() { noted.transactions.append((first + Int64(place), run)) }
      }
      for table in versionTables {
        try VersionKeeping(table, in: transaction).finish(
          as: options.keepsHistory ? noted : nil, store: number)
      }
      return Attempt(value: results, isNoted: !rows.isEmpty)
    } catch {
      throw rolledBack(error, connection)
    }
  }

  /// Rolls the transaction back after an error of a step.
  private func rolledBack(_ error: StoreError, _ connection: Connection) -> Obstacle {
    if connection.isLost { return .lost(error) }
    _ = try? connection.execute("ROLLBACK")
    if case .busy = error, ErrorCode.isTransient(connection.lastCode) { return .overtaken }
    return .failed(error)
  }

  private func writeSteps(
    of changes: ChangeSet, on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<CommitResult> {
    connection.forgetError()
    do throws(StoreError) {
      var transaction = transaction(on: connection)
      try transaction.execute("BEGIN")
      try check(version: transaction.run(Self.version))
      let keeping = versionTables.map { VersionKeeping($0, in: transaction) }
      try adoptChangesOfOthers(keeping, transaction)
      let result = try changes.apply(to: &transaction, model: model)
      let noted = options.keepsHistory ? try note([(changes, result)], transaction, save: save) : nil
      for keeping in keeping { try keeping.finish(as: noted, store: number) }
      return Attempt(value: result, isNoted: noted?.transactions.isEmpty == false)
    } catch {
      throw rolledBack(error, connection)
    }
  }

  /// Runs `body` in a writing transaction. It runs again if the connection is lost, or if another transaction is in the way.
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

  // MARK: Version

  private static let version = Statement("SELECT version FROM \(Tables.store)")

  /// Checks that no newer program has migrated the store since it was opened. The statement of the history checks it again.
  private func check(version row: QueryResult) throws(StoreError) {
    let version = Int(row.count > 0 ? row.integer(0, 0) ?? 0 : 0)
    if version > model.version { throw .newer(version: version, known: model.version) }
    if version != model.version { throw removed }
  }
}
