import ArgumentParser
import Foundation
import TestSupport

/// Runs several importers over one store at once, kills and stops some of them, and reads what the publishers have seen: all
/// runs must be one polite client.
struct Publishers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publishers",
    abstract: "Run importers at once, kill some, and check the connections and requests of each publisher.")

  @Option(help: "The number of rounds.") var rounds = 100
  @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
  @Flag(
    help: """
      The store is on the server that NEWSIMPORT_TEST_POSTGRESQL names. Its processes are killed, too, and connections are cut.
      """)
  var onServer = false

  func run() async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let round = try PoliteRounds(onServer ? ServerStore() : FileStore(folder.file("news.sqlite")), folder)
    defer { round.stop() }
    var problems = 0
    for number in 1...rounds {
      for problem in try await round.play(number, &random) {
        problems += 1
        printLine("  PROBLEM round \(number): \(problem)")
      }
      if number % 20 == 0 { printLine("\(number) rounds, \(round.summary), \(problems) problems") }
    }
    printLine("\(rounds) rounds, \(round.summary), \(problems) problems")
    if problems > 0 { throw ExitCode.failure }
  }
}
