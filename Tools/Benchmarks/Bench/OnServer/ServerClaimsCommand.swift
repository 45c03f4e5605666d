import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import PostgreSQLStore

/// Measures how fast importers claim feeds of one store on a server.
struct ServerClaimsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-claims",
    abstract: "Measures claims of feeds in a store on the server of NEWSIMPORT_TEST_POSTGRESQL.")

  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The number of feeds. There are three tenths as many publishers.") var feeds = 200_000
  @Option(help: "The number of importers.") var importers = 4
  @Option(help: "The number of feeds of a claim.") var part = 256
  @Option(help: "A folder for temporary files.") var folder = ".build/bench"

  func run() throws {
    let work = folder + "/work"
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    let server = try BenchmarkServer()
    let fleet = Fleet(
      feeds: feeds, publishers: feeds * 3 / 10, socket: try LoopbackSocket(), program: program, work: work,
      server: server)
    try fleet.prepare()
    let before = try server.cpu()
    let (ready, start) = (try Signal(), try Signal())
    let claimers = try (0..<importers).map { number in
      try ChildProcess(
        [
          ChildProcess.ownPath, "claim", server.store.text, "--part", "\(part)", "--ready",
          "\(ready.ends[1])",
          "--start", "\(start.ends[0])",
        ], output: work + "/claims\(number)", descriptors: [ready.ends[1], start.ends[0]])
    }
    for _ in claimers { try ready.wait() }
    let began = ContinuousClock.now
    start.give()
    let ends = try claimers.map { try $0.wait() }
    let wall = (ContinuousClock.now - began) / .seconds(1)
    var times: [Double] = []
    var claimed = 0
    for (number, end) in ends.enumerated() {
      let text = try String(contentsOfFile: work + "/claims\(number)", encoding: .utf8)
      guard end.status == 0 else {
        throw Failure("a claimer ended with \(end.status):\n\(text.suffix(2000))")
      }
      for line in text.split(separator: "\n") {
        let fields = line.split(separator: " ").compactMap { Double($0) }
        guard fields.count == 2 else { throw Failure("a claimer has printed \(line)") }
        claimed += Int(fields[0])
        if Int(fields[0]) >= part / 2 { times.append(fields[1]) }
      }
    }
    try FileManager.default.removeItem(atPath: work)
    guard claimed == feeds else { throw Failure("\(claimed) of \(feeds) feeds were claimed") }
    times.sort()
    func time(_ share: Double) -> Double {
      times.isEmpty ? 0 : times[min(times.count - 1, Int(Double(times.count) * share))]
    }
    print(
      String(
        format:
          "%d feeds, %d importers: %.0f feeds/s; a claim of %d takes %.0f ms (p50), %.0f ms (p99); CPU %.0f µs a feed, "
          + "with the server %.0f", feeds, importers, Double(feeds) / wall, part, time(0.5), time(0.99),
        ends.reduce(0) { $0 + $1.user + $1.system } / Double(feeds) * 1e6,
        (ends.reduce(0) { $0 + $1.user + $1.system } + (try server.cpu() - before)) / Double(feeds) * 1e6))
  }
}

/// A pipe on which processes wait for each other.
private struct Signal {
  var ends: [Int32] = [-1, -1]

  init() throws {
    guard pipe(&ends) == 0 else { throw Failure.system("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  /// Waits for one byte.
  func wait() throws {
    var byte: UInt8 = 0
    guard read(ends[0], &byte, 1) == 1 else { throw Failure("a process has ended early") }
  }

  /// Ends the waits of all others.
  func give() { close(ends[1]) }
}

/// Claims all feeds of a store that are due, without polling them, and prints the size and the time of each claim.
struct ClaimCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "claim", shouldDisplay: false)

  @Argument var store: String
  @Option var part: Int
  @Option var ready: Int32
  @Option var start: Int32

  func run() async throws {
    guard let address = StoreAddress(store) else { throw Failure("\(store): no address") }
    let store = try PostgreSQLStore(
      address, model: NewsModel.model, application: NewsModel.applicationID,
      views: NewsModel.views(.postgresql))
    let coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    let root = RootContext(coordinator: coordinator)
    let wanted = try await BackgroundContext(parent: root, name: "feeds").perform { context in
      try Claimer.wanted(in: context)
    }
    write(ready, [1], 1)
    close(ready)
    var byte: UInt8 = 0
    _ = read(start, &byte, 1)
    var claimer = Claimer(in: root, wanted, part: part)
    let clock = ContinuousClock()
    while true {
      let began = clock.now
      let step = try await claimer.claim(at: store.now())
      if case .end = step { break }
      if case .claimed(let count) = step, count > 0 { print(count, (clock.now - began) / .milliseconds(1)) }
      try await claimer.finish(keeping: 1, at: store.now())
    }
  }
}
