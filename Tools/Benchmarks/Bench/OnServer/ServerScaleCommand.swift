import ArgumentParser
import Foundation

/// Measures imports of very many feeds into a store on a server, by several importers.
struct ServerScaleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-scale",
    abstract: "Measures imports of many feeds into a store on the server of NEWSIMPORT_TEST_POSTGRESQL.")

  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(
    help: "The number of feeds. There are three tenths as many publishers, and one has 6 % of the feeds.")
  var feeds = 100_000
  @Option(help: "The number of importers.") var importers = 2
  @Option(help: "A folder for temporary files.") var folder = ".build/bench"
  @Flag(help: "The store is a file.") var inFile = false

  func run() throws {
    let work = try BenchStore.workFolder(in: folder)
    let socket = try LoopbackSocket()
    let store = BenchStore(program: program, work: work, server: inFile ? nil : try BenchmarkServer())
    let fleet = Fleet(feeds: feeds, socket: socket, store: store)
    let start = ContinuousClock.now
    try fleet.prepare()
    print(String(format: "%d feeds added in %.0f s", feeds, (ContinuousClock.now - start) / .seconds(1)))
    let publishers = try ServerProcess.publishers(on: socket)
    let all = try fleet.run(importers: importers)
    let end = try publishers.stop()
    print(
      String(
        format:
          "%d importers: %.0f s, %.0f feeds/s, at most %d MB; CPU: importers %@ s, server %.0f s, publishers %.0f s",
        importers, all.wall, all.rate, all.peak >> 20,
        all.clients.map { String(format: "%.0f", $0) }.joined(separator: " and "), all.server,
        end.user + end.system))
    let none = try fleet.run(importers: 1)
    print(
      String(
        format: "none due: %.2f s, CPU %.3f s, %.1f MB; server %.2f s", none.wall, none.clients[0],
        Double(none.peak) / Double(1 << 20), none.server))
    try FileManager.default.removeItem(atPath: work)
  }
}

/// Measures how many feeds a second importers poll together, where publishers take their time to answer.
struct ServerFleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-fleet",
    abstract:
      "Measures several importers beside one, with a store on the server of NEWSIMPORT_TEST_POSTGRESQL.")

  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The number of feeds. There are three tenths as many publishers.") var feeds = 20_000
  @Option(help: "The number of importers.") var importers = 4
  @Option(help: "The time until an answer, in milliseconds.") var delay = 100
  @Option(help: "The number of rounds.") var rounds = 3
  @Option(help: "A folder for temporary files.") var folder = ".build/bench"

  func run() throws {
    let work = try BenchStore.workFolder(in: folder)
    let socket = try LoopbackSocket()
    let server = try BenchmarkServer()
    let fleet = Fleet(
      feeds: feeds, hasLargePublisher: false, socket: socket,
      store: BenchStore(program: program, work: work, server: server))
    try fleet.prepare()
    let fast = try ServerProcess.publishers(on: socket)
    _ = try fleet.run(importers: importers)
    try fast.stop()
    let publishers = try ServerProcess.publishers(on: socket, delay: delay)
    var ratios: [Double] = []
    for _ in 0..<max(1, rounds) {
      let rates = try [1, importers].map { count in
        try server.makeDue()
        let figures = try fleet.run(importers: count)
        print(
          String(
            format: "%d importers: %.0f feeds/s; CPU of importers %.1f s, of the server %.1f s", count,
            figures.rate, figures.clients.reduce(0, +), figures.server))
        return figures.rate
      }
      ratios.append(rates[1] / rates[0])
    }
    try publishers.stop()
    ratios.sort()
    print(
      String(
        format: "%d importers poll %.2f times as many feeds a second as one", importers,
        ratios[ratios.count / 2]))
    try FileManager.default.removeItem(atPath: work)
  }
}
