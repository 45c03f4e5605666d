import ArticleHooks
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import TextOutput

/// Runs the configuration's hooks at the end of a command, and reports their failures.
@MainActor
final class HookRunner {
  /// The command's watch for signals; nil before it.
  var signals: SignalWatch?
  let hooks: [Hook]
  private let configuration: LoadedConfiguration
  let stack: NewsStack
  /// Ends the running command, and starts no other. A watch for signals holds it instead of the store.
  let ending = HookStop()

  /// - Returns: Nil if the configuration has no hooks; they then cost nothing.
  init?(_ configuration: LoadedConfiguration, _ stack: NewsStack) {
    hooks = configuration.configuration.hooks
    (self.configuration, self.stack) = (configuration, stack)
    if hooks.isEmpty { return nil }
  }

  /// Prepares the hooks: records changes that other programs have made with SQL, lets feed hooks follow these
  /// to new addresses, and lets new hooks start here. What the store already has concerns no new hook.
  func prepare() async throws {
    try await followMovedFeeds()
    try stack.reading {
      try stack.store.recordChangesOfOthers()
      let known = Set(try stack.store.consumers().map { Array($0.name.utf8) })
      let new = hooks.filter { !known.contains(Array($0.consumer.utf8)) }
      guard !new.isEmpty else { return }
      let newest = try stack.store.currentHistoryToken() ?? HistoryToken(0)
      for hook in new { try stack.store.acknowledge(newest, by: hook.consumer, at: stack.now) }
    }
  }

  /// Stores what waits for the hooks, before articles, feeds or regions change.
  ///
  /// A run that was killed may have left events in the history, and changes could take their articles away
  /// from a hook. Another process keeps the hooks that it runs.
  func keepWaiting() async throws {
    let failures = HookFailures(stack.root)
    let consumers = try stack.reading { try stack.store.consumers() }
    for hook in hooks {
      guard let consumer = consumers.named(hook.consumer),
        try isBehind(consumer), let lock = try HookLock(hook.name, of: stack.store)
      else { continue }
      defer { lock.release() }
      var run = newRun(of: hook, lock, failures, includesOld: false)
      do {
        try await run.keepWaiting()
      } catch StoreError.history {
        // The position belongs to another store. The hook says so when it runs.
      } catch let error as StoreError {
        throw CommandFailure(error, store: stack.location)
      }
    }
  }

  /// Stores what waits for the configuration's hooks, before a command changes feeds or regions.
  ///
  /// - Parameter load: Reads the configuration; called only if a hook has run before.
  static func keepWaiting(in stack: NewsStack, _ load: () throws -> LoadedConfiguration) async throws {
    let consumers = try stack.reading { try stack.store.consumers() }
    guard consumers.contains(where: { Hook.name(ofConsumer: $0.name) != nil }) else { return }
    // Without a configuration, no hook is known.
    guard let configuration = try? load() else { return }
    try await HookRunner(configuration, stack)?.keepWaiting()
  }

  /// Returns whether the history has changes after a consumer's position, or no longer has the position.
  private func isBehind(_ consumer: HistoryConsumer) throws -> Bool {
    try stack.reading {
      do throws(StoreError) {
        return try !stack.store.followedHistory(after: consumer.token, limit: 1).transactions.isEmpty
      } catch {
        if case .history = error { return true }
        throw error
      }
    }
  }

  /// Moves a hook to a position in the history, also back.
  ///
  /// - Parameter text: A token from `changes`, `0` or `now`.
  func move(_ name: String, to text: String) throws {
    let consumer = Hook.consumer(of: name)
    let token = ChangeToken(text: text)
    guard token != nil || text == "now" else { throw CommandFailure(noToken: text) }
    do throws(StoreError) {
      guard let token else {
        let newest = try stack.store.currentHistoryToken() ?? HistoryToken(0)
        try stack.store.acknowledge(newest, position: 0, by: consumer, at: stack.now, force: true)
        return
      }
      guard let position = token.position else {
        try stack.store.acknowledge(
          token.transaction, position: 0, by: consumer, at: stack.now, force: true)
        return
      }
      if try ChangeReader.event(of: token, in: stack.store) != nil {
        try stack.store.acknowledge(position, of: token.transaction, by: consumer, force: true)
        return
      }
    } catch {
      if case .history(let error) = error {
        throw CommandFailure(
          error, token: text, of: nil,
          advice: "newsimport hooks run --since 0 \(shellWord(name)) starts at the beginning of what is kept")
      }
      throw CommandFailure(error, store: stack.location)
    }
    throw CommandFailure(noEvent: text)
  }

  /// Gives up the articles that wait for a hook that was put off.
  func passOverWaiting(of name: String) async throws {
    try await stack.saving { try await HookFailures(stack.root).removeWaiting(of: name) }
  }

  /// Makes hook failures due.
  ///
  /// - Parameter names: The hooks; nil for all.
  func makeDue(_ names: Set<String>?) async throws {
    let failures = HookFailures(stack.root)
    try await stack.saving {
      for hook in hooks where names?.contains(hook.name) ?? true {
        try await failures.makeDue(hook.name, at: stack.now)
      }
    }
  }

  /// Runs the hooks that no other process runs.
  ///
  /// - Parameters:
  ///   - names: The hooks; nil for all.
  ///   - includesOld: True to include articles from first imports and from files.
  ///   - after: The count of failed attempts after which a failure is reported once; nil to report each.
  ///   - reportsBusy: True to report hooks that another process runs, and hooks that are put off.
  /// - Returns: The exit status; nil if no failure was reported.
  /// - Throws: ``CommandFailure`` from the store, or if a signal has ended the run.
  func run(
    _ names: Set<String>? = nil, includesOld: Bool = false, reporting after: Int?, reportsBusy: Bool = false
  ) async throws -> ExitStatus? {
    let failures = HookFailures(stack.root)
    var status: ExitStatus?
    for hook in hooks where names?.contains(hook.name) ?? true {
      switch try await run(hook, failures, includesOld) {
      case .done(let result):
        if try await report(result, of: hook, failures, after: after) { status = .someFeedsFailed }
        if reportsBusy, !result.isPutOff, let whole = result.rows.first(where: \.isOfHook),
          !HookBackoff.isDue(whole.next, at: stack.now)
        {
          Output.error.warn(
            "hook \(printable(hook.name)): put off until \(localMinute(whole.next)); "
              + "newsimport hooks run --retry \(printable(shellWord(hook.name))) does not wait"
          )
          status = .someFeedsFailed
        }
        if result.isStopped {
          throw CommandFailure(
            signals?.status ?? .interrupted,
            "stopped: hook \(hook.name) gets its last articles again at the next run")
        }
      case .busy(let process?):
        Output.error.warn(
          "hook \(printable(hook.name)): put off: \(Self.survivor(process))"
        )
        status = status ?? (reportsBusy ? .busy : .someFeedsFailed)
      case .busy:
        guard reportsBusy else { continue }
        Output.error.warn("hook \(printable(hook.name)): another process runs it")
        status = status ?? .busy
      case .refused(let cause):
        Output.error.warn("hook \(printable(hook.name)): \(printable(cause))")
        status = .someFeedsFailed
      }
    }
    return status
  }

  private enum End {
    case done(HookRun.Result)
    /// Another process runs the hook. The survivor is a command that continued after its run was killed.
    case busy(survivor: Int32?)
    case refused(String)
  }

  /// Returns a run of a hook. The lock must be kept until it has ended.
  private func newRun(
    of hook: Hook, _ lock: HookLock, _ failures: HookFailures, includesOld: Bool
  ) -> HookRun {
    let places = (store: stack.location.forPrograms, configuration: configuration.absolutePath)
    return HookRun(
      hook, lock: lock.descriptor, in: stack.store, places, failures, includesOld: includesOld, until: ending
    ) { [configuration, stack] in try HookMatcher(hook, stack, configuration) }
  }

  /// Runs a hook until no event is left that another process saved while this one had the claim.
  private func run(_ hook: Hook, _ failures: HookFailures, _ includesOld: Bool) async throws -> End {
    var total = HookRun.Result()
    while true {
      guard let lock = try HookLock(hook.name, of: stack.store) else {
        if total.end != nil { return .done(total) }
        return .busy(survivor: HookLock.survivor(of: hook.name, in: stack.store))
      }
      defer { lock.release() }
      var run = newRun(of: hook, lock, failures, includesOld: includesOld)
      do {
        total.add(try await run.run())
      } catch StoreError.history {
        return .refused(Self.foreignPosition(of: hook))
      } catch let error as StoreError {
        throw CommandFailure(error, store: stack.location)
      } catch let failure as CommandFailure {
        return .refused(failure.message ?? "its articles cannot be read")
      }
      guard let end = total.end else { return .done(total) }
      lock.release()
      let isLeft = try stack.reading {
        !(try stack.store.followedHistory(after: end, limit: 1).transactions.isEmpty)
      }
      if !isLeft { return .done(total) }
    }
  }

  // MARK: Reports

  /// The message about a position that the store's history does not have.
  static func foreignPosition(of hook: Hook) -> String {
    "its position is of another store; newsimport hooks run --since 0 \(shellWord(hook.name)) starts again"
  }

  /// The message about a command that continued after its run was killed.
  static func survivor(_ process: Int32) -> String {
    "the command of a run that was killed still runs (process \(process))"
  }

  /// The message about changes that were purged before the hook ran.
  static let gap = "the store no longer keeps all changes since its last run; it goes on with the oldest"

  /// Reports a hook's failures.
  ///
  /// - Returns: True if a failure was reported.
  private func report(
    _ result: HookRun.Result, of hook: Hook, _ failures: HookFailures, after: Int?
  ) async throws -> Bool {
    let name = "hook \(printable(hook.name))"
    if result.hasGap {
      Output.error.warn("\(name): \(Self.gap)")
    }
    if result.deleted > 0 {
      let (articles, isOne) = (counted(result.deleted, "article"), result.deleted == 1)
      Output.error.warn(
        "\(name): \(articles) \(isOne ? "was" : "were") deleted before the command handled \(isOne ? "it" : "them")"
      )
    }
    guard let after else {
      guard let message = result.message(of: hook) else { return result.hasGap }
      Output.error.warn("\(name): \(message)")
      return true
    }
    let isReported = result.rows.contains(where: \.isReported)
    // While a command handles no article, its further failures are no news. Else each failure is reported
    // once, also beside an earlier report.
    let hasNews = !isReported || result.articles > result.failed
    if result.rows.contains(where: { !$0.isReported && $0.attempts >= after && (hasNews || $0.isOfHook) }) {
      Output.error.warn("\(name): \(result.message(of: hook) ?? "\(counted(result.rows.count, "failure"))")")
      try await stack.saving { try await failures.noteReported(hook.name, from: after) }
      return true
    }
    if result.wasReported, !isReported {
      if result.rows.isEmpty {
        Output.error.warn("\(name): works again")
      } else {
        // The reported failure is over, but the hook does not work yet.
        try await stack.saving { try await failures.noteReported(hook.name, from: 0) }
      }
    }
    return result.hasGap
  }

}

extension HookRun.Result {
  /// Adds a run that followed.
  fileprivate mutating func add(_ next: HookRun.Result) {
    articles += next.articles
    failed += next.failed
    deleted += next.deleted
    error = next.error ?? error
    wasReported = wasReported || next.wasReported
    hasGap = hasGap || next.hasGap
    (isPutOff, isStopped, end, rows) = (next.isPutOff, next.isStopped, next.end, next.rows)
  }

  /// Returns this run's failures in one line; nil without failures.
  fileprivate func message(of hook: Hook) -> String? {
    guard let error, failed > 0 || isPutOff else { return nil }
    let cause = error.text(of: printable(hook.command[0]))
    let end = "; newsimport hooks status shows the next attempts"
    if failed == 0 { return cause + end }
    let rest = isPutOff ? ", and the others wait" : ""
    return "\(grouped(failed)) of \(counted(articles, "article")) failed\(rest): \(cause)\(end)"
  }
}
