import ArticleDocuments
import ArticleHooks
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import TextOutput

/// The articles that wait for the hooks, and the failures.
@MainActor
struct HookStatus {
  private let stack: NewsStack
  private let configuration: LoadedConfiguration
  private let names: [String]
  private let consumers: [HistoryConsumer]
  private let failures: [StoredRow<HookFailure>]

  /// - Parameter names: The hooks; empty for all.
  init(_ options: StoreOptions, _ configuration: LoadedConfiguration, _ names: HookNames) throws {
    self.configuration = configuration
    let stack = try NewsStack.needed(options, for: .reading)
    self.stack = stack
    try NewsStack.recordChangesOfOthers(stack.store, options)
    (consumers, failures) = try stack.reading {
      (
        try stack.store.consumers(),
        try HookFailures.ofPresentArticles(in: stack.source)
      )
    }
    let configured = configuration.configuration.hooks.map(\.name)
    let others = consumers.compactMap { Hook.name(ofConsumer: $0.name) } + failures.map(\.hook)
    let all = distinct(configured + others.sorted())
    let given = try names.known(in: all)
    self.names = given.isEmpty ? all : given
  }

  func print(json: Bool) throws {
    if names.isEmpty, !json {
      Output.error.print("no hooks; newsimport.toml(5) shows some\n")
      return
    }
    var rows: [[String]] = []
    for name in names {
      let hook = configuration.configuration.hooks.first { $0.name.utf8.elementsEqual(name.utf8) }
      let own = failures.filter { $0.hook.utf8.elementsEqual(name.utf8) }
      var queue: Waiting?
      if let hook { queue = try waiting(for: hook, failing: Set(own.map(\.event))) }
      if json {
        writeJSON(self.json(name, hook, own, queue))
      } else {
        rows.append(text(name, hook, own, queue))
      }
    }
    Output.standard.print(aligned: rows)
  }

  private func consumer(of name: String) -> HistoryConsumer? {
    consumers.named(Hook.consumer(of: name))
  }

  /// The articles that wait for a hook.
  private enum Waiting {
    case articles(Int)
    /// The number is not known, for this reason.
    case unknown(String)

    var count: Int? { if case .articles(let count) = self { count } else { nil } }
    var cause: String? { if case .unknown(let cause) = self { cause } else { nil } }
  }

  /// Returns the articles that wait for a hook.
  ///
  /// - Parameter failing: The tokens of the events that failed, which do not count.
  private func waiting(for hook: Hook, failing: Set<String>) throws -> Waiting {
    guard let consumer = consumer(of: hook.name) else { return .articles(0) }
    return try stack.reading {
      let coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: stack.store)
      guard let newest = try coordinator.currentHistoryToken() else { return .articles(0) }
      let matcher: HookMatcher
      do {
        matcher = try HookMatcher(hook, stack, configuration)
      } catch let failure as CommandFailure {
        return .unknown(failure.message ?? "its articles cannot be read")
      }
      var reader = HookReader(
        hook, matcher, coordinator, includesOld: false, columns: Article.withoutContent,
        after: consumer.token,
        position: consumer.position, upTo: newest)
      var count = 0
      do throws(StoreError) {
        while let page = try reader.nextPage() { count += page.tokens.count { !failing.contains($0) } }
      } catch {
        switch error {
        case .history(.foreign): return .unknown(HookRunner.foreignPosition(of: hook))
        case .history(.purged): return .unknown(HookRunner.gap)
        default: throw error
        }
      }
      return .articles(count)
    }
  }

  private func text(
    _ name: String, _ hook: Hook?, _ failures: [StoredRow<HookFailure>], _ waiting: Waiting?
  ) -> [String] {
    let (articles, stored) = (failures.count(where: \.isFailing), failures.count(where: \.isWaiting))
    let isPutOff = failures.contains(where: \.isOfHook)
    let left = hook == nil ? "gone from the configuration" : "unknown what waits"
    return [
      printable(name),
      count(waiting, stored, hook).map { "\(grouped($0)) waiting" }
        ?? (stored > 0 ? "\(left), \(grouped(stored)) waiting" : left),
      [articles > 0 ? "\(grouped(articles)) failing" : nil, isPutOff ? "put off" : nil].compactMap(\.self)
        .joined(separator: ", "),
      next(failures).map { "next attempt \(localMinute($0))" } ?? "",
      cause(name, waiting, failures).map(printable) ?? "",
    ]
  }

  /// Counts the articles that wait; nil if unknown.
  ///
  /// - Parameter stored: How many are stored beside the failures.
  private func count(_ waiting: Waiting?, _ stored: Int, _ hook: Hook?) -> Int? {
    hook == nil ? nil : waiting?.count.map { $0 + stored }
  }

  /// Returns the next attempt's date: the hook's if it was put off, because no article is tried before it.
  private func next(_ failures: [StoredRow<HookFailure>]) -> Date? {
    failures.first(where: \.isOfHook)?.next ?? failures.filter(\.isFailing).map(\.next).min()
  }

  private func cause(_ name: String, _ waiting: Waiting?, _ failures: [StoredRow<HookFailure>]) -> String? {
    if let process = HookLock.survivor(of: name, in: stack.store) {
      return HookRunner.survivor(process)
    }
    return waiting?.cause ?? failures.first { !$0.isWaiting }?.errorText
  }

  private func json(
    _ name: String, _ hook: Hook?, _ failures: [StoredRow<HookFailure>], _ waiting: Waiting?
  ) -> JSONLine {
    let articles = failures.filter(\.isFailing)
    let details = articles.map { row -> JSONLine in
      [
        "event": row.event, "article": row.article.map { Int($0) }, "attempts": row.attempts,
        "next_attempt": row.next, "status": row.error?.status, "error": row.errorText, "since": row.since,
      ]
    }
    return [
      "hook": name, "gone": hook == nil, "command": hook?.command ?? [],
      "waiting": count(waiting, failures.count(where: \.isWaiting), hook),
      "failing": articles.count, "attempts": failures.map(\.attempts).max() ?? 0,
      "next_attempt": next(failures), "error": cause(name, waiting, failures),
      "since": failures.filter { !$0.isWaiting }.map(\.since).min(), "seen": consumer(of: name)?.seen,
      "failures": details, "format": hook?.format.rawValue,
    ]
  }
}
