import ArgumentParser
import Foundation
import TestSupport
import Threading

/// Proves that nothing is lost: see `make crash`, `make soak` and `make publishers`.
@main
struct Crash: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crash", abstract: "Interrupt the program, and check the store.",
    subcommands: [SweepCommand.self, Soak.self, Publishers.self], defaultSubcommand: SweepCommand.self)
}

/// Tries every fault of every scenario.
struct SweepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Interrupt the program at every call of the file system, and check the store each time.")

  enum Test: String, ExpressibleByArgument, CaseIterable {
    /// Faults while no other program uses the store.
    case alone
    /// Faults while another program uses it.
    case beside
    /// Failures of power.
    case power
    /// Cells of a wrong type.
    case cells
  }

  @Option(help: "Only scenarios whose names contain this.") var only: String?
  @Option(help: "Only this test: alone, beside (other programs), power or cells (of a wrong type).") var test:
    Test?
  @Option(help: "Try only every n-th call and every n-th change.") var every = 1
  @Option(help: "The number of runs at once.") var jobs = 2

  func run() async throws {
    let scenarios = Scenario.all.filter { only == nil || $0.name.contains(only ?? "") }
    let queue = Locked(Array(scenarios.enumerated().reversed()))
    let total = Locked(Total())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<jobs {
        group.addTask {
          let feeds = try Feeds()
          defer { feeds.stop() }
          while let (number, scenario) = queue.withLock({ $0.popLast() }) {
            let world = try await World(scenario, feeds: feeds)
            if runs(.alone) { try await sweepFaults(in: world, number, total) }
            if runs(.beside) { try await sweepFaults(in: world, number, total, hasCompanions: true) }
            if runs(.power) { try await replayPowerFailures(in: world, total) }
          }
        }
      }
      try await group.waitForAll()
    }
    if runs(.cells), only == nil { try await writeWrongCells(total) }
    let sum = total.withLock { $0 }
    let missed = try await missedDefects(sum)
    printLine("\(sum.faults) faults, \(sum.disks) replayed disks, \(sum.problems) problems")
    if sum.problems > 0 || missed > 0 { throw ExitCode.failure }
  }

  /// Plants defects, which the sweeps must report.
  ///
  /// - Returns: The number of those that were not reported.
  private func missedDefects(_ sum: Total) async throws -> Int {
    let feeds = try Feeds()
    defer { feeds.stop() }
    guard let scenario = Scenario.all.first(where: { $0.name == "first fetch" }) else { return 1 }
    let world = try await World(scenario, feeds: feeds)
    var missed = 0
    for defect in SeededDefect.allCases {
      for test in [Test.alone, .beside, .power]
      where runs(test) && (test == .power) == (defect == .missingSyncs) {
        let problems =
          if test == .power { sum.controlProblems } else {
            try await Sweep(
              world: world, fault: Fault.kill, step: 11, first: 1, hasCompanions: test == .beside,
              defect: defect
            ).run().problems.count
          }
        printLine("control, \(test): with \(defect.rawValue), \(problems) problems")
        if problems == 0 { missed += 1 }
      }
    }
    return missed
  }

  private struct Total: Sendable {
    var faults = 0
    var disks = 0
    var problems = 0
    var controlProblems = 0
  }

  private func runs(_ other: Test) -> Bool { test == nil || test == other }

  private func sweepFaults(
    in world: World, _ number: Int, _ total: Locked<Total>, hasCompanions: Bool = false
  ) async throws {
    for fault in Fault.all {
      let outcome = try await Sweep(
        world: world, fault: fault, step: every, first: every == 1 ? 1 : 1 + number * 7 % every,
        hasCompanions: hasCompanions
      ).run()
      total.withLock {
        $0.faults += outcome.faults
        $0.problems += outcome.problems.count
      }
      let statuses = outcome.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      printLine(
        "\(world.scenario.name)\(hasCompanions ? " beside others" : ""), \(fault): \(outcome.faults) faults; exit statuses \(statuses.joined(separator: ", "))"
      )
      report(outcome.problems)
    }
  }

  private func replayPowerFailures(in world: World, _ total: Locked<Total>) async throws {
    let outcome = try await PowerLossSweep(world: world, step: every).run()
    let control = try await PowerLossSweep(world: world, step: every, syncsNothing: true).run()
    total.withLock {
      $0.disks += outcome.disks
      $0.problems += outcome.problems.count
      $0.controlProblems += control.problems.count
    }
    printLine("\(world.scenario.name), power failures: \(outcome.disks) disks")
    report(outcome.problems)
  }

  private func writeWrongCells(_ total: Locked<Total>) async throws {
    let outcomes = try await withThrowingTaskGroup(of: WrongCells.Outcome.self) { group in
      for job in 0..<jobs {
        group.addTask {
          let feeds = try Feeds()
          defer { feeds.stop() }
          let world = try await World(WrongCells.scenario, feeds: feeds)
          return try await WrongCells(world: world, job: job, jobs: jobs, step: every).run()
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let problems = outcomes.flatMap(\.problems)
    total.withLock { $0.problems += problems.count }
    let (stores, runs) = outcomes.reduce((0, 0)) { ($0.0 + $1.stores, $0.1 + $1.runs) }
    printLine("wrong cells: \(stores) stores, \(runs) runs of commands")
    report(problems)
  }

  private func report(_ problems: [String]) {
    for problem in problems { printLine("  PROBLEM \(problem)") }
  }
}

/// Prints a line at once, into a pipe, too.
func printLine(_ text: String) {
  print(text)
  fflush(nil)
}
