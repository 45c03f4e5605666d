internal import Foundation
public import ManagedContext
internal import SQLStatements
internal import Threading

/// The writer's knowledge from one save to the next.
struct WriterState: Sendable {
  var keys = KeyBlocks()
  var pace = NotificationPace()
  /// The number of this process's last save, with which it is found in the history.
  var saves: Int64 = 0
  /// The number of a transaction before the next save.
  var newest: Int64

  init(newest: Int64) { self.newest = newest }
}

extension PostgreSQLStore {
  /// Writes change sets, all in one transaction unless there is a conflict.
  ///
  /// A transaction takes two round trips, one more for new keys, and one more for new object versions.
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
    // If it fails, the next save does not try again.
    purge.didCommit()
    try writeDescribingErrors { connection in try purge.run(at: date, on: connection) }
  }

  /// Writes a part of a group in one transaction, or in several around a change set that must be alone.
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
        // Do not wait again for an absent server.
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
    let first = [Statement("BEGIN"), Self.version] + versionTables.map { Statement($0.hasUnfinished) }
    let last =
      (plan.mayBreakReferences ? [Statement("SET CONSTRAINTS ALL IMMEDIATE")] : [])
      + blocks.map { KeyBlocks.taking($0.value, of: model[$0.key]) }
      + changed.map { Statement($0.unfinished) }
    let found: [QueryResult]
    do throws(ServerError) {
      // Only one statement's arrays are in memory at a time.
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

  /// Returns a group's last statements, for the history and for versions.
  private func noted(
    _ group: ArraySlice<ChangeSet>, _ results: [CommitResult], _ deleted: [ManagedObjectID: [AttributeValue]],
    _ unfinished: some Sequence<(VersionTable, QueryResult)>, on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<[CommitResult]> {
    let date = now()
    let runs = options.keepsHistory ? model.recorded(zip(group, results)) : []
    let rows = runs.map { NewHistoryRow($0.changes, deleted, author: $0.author, model) }
    var completions: [VersionCompletion] = []
    for (table, result) in unfinished where result.count > 0 {
      guard let completion = VersionCompletion(table, table.versions(in: result)) else {
        return try notedInSteps(results, runs.map(\.changes), rows, at: date, on: connection, save)
      }
      completions.append(completion)
    }
    var statements: [Statement] = []
    if !runs.isEmpty {
      statements.append(
        NewHistoryRow.appending(rows, process: process, save: save, date: date, version: model.version))
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
}
