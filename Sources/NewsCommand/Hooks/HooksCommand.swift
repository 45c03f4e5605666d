import ArgumentParser
import ArticleHooks
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import TextOutput

/// `newsimport hooks …`
struct HooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hooks", abstract: "Run and inspect the commands that get new and edited articles.",
    discussion: """
      The configuration names a command for the new (on_new) or edited (on_edited) articles of a region, a feed or a query. \
      newsimport fetch and import run it at their end. An article is handled when its command exits with 0; until then, it is \
      repeated, first after a minute and at last once a day.
      """,
    subcommands: [Status.self, Run.self, Skip.self])

  /// `newsimport hooks status`
  struct Status: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "List hooks, with waiting and failed articles.",
      discussion: """
        A hook that is no longer in the configuration is shown as gone; newsimport hooks skip forgets it.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var hooks: HookNames
    @Flag(
      help: """
        One JSON object per line: hook, gone, command, waiting (articles after its position), failing (articles), attempts, \
        next_attempt, error, since, seen, failures, format.
        """)
    var json = false

    func perform() async throws {
      try HookStatus(storeOptions, configurationOptions.load(), hooks).print(json: json)
    }
  }

  /// `newsimport hooks run`
  struct Run: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Run hooks now.",
      discussion: """
        Runs the named hooks, or all: the failures that are due, or all with --retry, then the articles that wait. With --since, a hook starts again at a \
        token of newsimport changes, and also gets the articles of first imports and of files; 0 is the beginning of what the \
        store keeps, now passes over what waits.
        With --report-after, a failure is reported once, after that many attempts, and the exit status is 0 unless this run reported one. \
        That is for a timer, after newsimport fetch --no-hooks.
        Examples:
          newsimport hooks run --retry
          newsimport hooks run --since 0 region.world.on_new
          newsimport hooks run --report-after 3
        Exit status: 0 if no command failed, 1 if one did or a hook is put off, 75 if another process runs a hook, without --report-after.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var hooks: HookNames
    @Option(help: ArgumentHelp("Start again after this token, 0 or now.", valueName: "token"))
    var since: String?
    @Flag(help: "Repeat all failures now, also of hooks that were put off.") var retry = false
    @Option(help: ArgumentHelp("Report a failure once after this number of attempts.", valueName: "failures"))
    var reportAfter: Int?

    func validate() throws {
      let numbers = FailureMail.numbers
      if let reportAfter, !numbers.contains(reportAfter) {
        throw ValidationError(
          "--report-after is a number of failures from \(numbers.lowerBound) to \(numbers.upperBound).")
      }
      if since != nil, hooks.names.count != 1 { throw ValidationError("--since needs the name of one hook.") }
    }

    func perform() async throws {
      let configuration = try configurationOptions.load()
      let names = try hooks.known(in: configuration.configuration.hooks.map(\.name))
      let stack = try NewsStack.needed(storeOptions)
      guard let runner = HookRunner(configuration, stack) else {
        // A timer runs the hooks also before there are any.
        if reportAfter == nil {
          Output.error.print("the configuration has no hooks; newsimport.toml(5) shows some\n")
        }
        return
      }
      let signals = SignalWatch { [ending = runner.ending] in ending.stop() }
      runner.signals = signals
      if let since, let name = names.first {
        try runner.move(name, to: since)
        if since == "now" { try await runner.passOverWaiting(of: name) }
      }
      try await runner.prepare()
      let wanted = names.isEmpty ? nil : Set(names)
      if retry { try await runner.makeDue(wanted) }
      let status = try await runner.run(
        wanted, includesOld: since != nil, reporting: reportAfter, reportsBusy: reportAfter == nil)
      if let status { throw CommandFailure(status) }
    }
  }

  /// `newsimport hooks skip`
  struct Skip: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "skip", abstract: "Drop failed articles.",
      discussion: """
        Drops the failures of the named hooks; their commands do not get these articles again. A hook that is no longer in the \
        configuration is forgotten. What waits stays; newsimport hooks run --since now passes over it.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var hooks: HookNames

    func validate() throws {
      if hooks.names.isEmpty { throw ValidationError("Name the hooks whose failures are dropped.") }
    }

    func perform() async throws {
      let configuration = try configurationOptions.load()
      let stack = try NewsStack.needed(storeOptions)
      let configured = configuration.configuration.hooks.map(\.name)
      let failures = HookFailures(stack.root)
      let stored = try stack.reading { try HookFailures.all(of: nil, in: stack.source.context).map(\.hook) }
      let consumers = try stack.reading { try stack.store.consumers() }
      let known = configured + consumers.compactMap { Hook.name(ofConsumer: $0.name) } + stored
      for name in try hooks.known(in: known) {
        let isGone = !configured.contains(name)
        let rows = try await stack.saving {
          let rows = try await failures.all(of: name).filter { isGone || !$0.isWaiting }
          try await failures.remove(Set(rows.map(\.event)), of: name)
          if isGone { try stack.store.removeConsumer(named: Hook.consumer(of: name)) }
          return rows
        }
        let (failing, waiting) = (rows.count(where: \.isFailing), rows.count(where: \.isWaiting))
        let end = isGone ? ", and the hook is forgotten" : ""
        let others = waiting > 0 ? " and \(grouped(waiting)) waiting" : ""
        Output.standard.print(
          "\(printable(name)): \(counted(failing, "failing article"))\(others) dropped\(end)\n")
      }
    }
  }
}

/// Hook names on the command line.
struct HookNames: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The hooks, such as region.world.on_new, feed.URL.on_edited or query.NAME.on_new. Without a name, status and run mean all.",
      valueName: "hook"))
  var names: [String] = []

  /// Returns the names.
  ///
  /// - Throws: ``CommandFailure`` with status 66 for one that is not known.
  func known(in all: [String]) throws -> [String] {
    for name in names where !all.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
      let hint =
        suggestion(for: name, among: all)
        ?? (all.isEmpty
          ? "the configuration has no hooks" : "the hooks are \(distinct(all).joined(separator: ", "))")
      throw CommandFailure(.noInput, "\(printable(name)): no such hook; \(printable(hint))")
    }
    return distinct(names)
  }
}
