import ArgumentParser
import Corpus
import Foundation
import PostgreSQLStore
import TestSupport

/// Measures imports into a file, into a store on a server, and into one on a server that is further away, in turn.
struct ServerStoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-store",
    abstract: "Measures imports into a file and into a store on the server of NEWSIMPORT_TEST_POSTGRESQL.")

  @OptionGroup var corpus: CorpusOptions
  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The number of rounds.") var rounds = 3
  @Option(help: "The time to a server that is further away and back, in milliseconds.") var delay = 1

  /// The measurements of an import, by round.
  private struct Runs {
    var file: [Sample] = []
    var server: [Sample] = []
    /// Those through a relay.
    var far: [Sample] = []
    /// The CPU time of the server's processes, in seconds.
    var serverCPU: [Double] = []

    /// Returns the median ratio of a figure of two stores.
    func ratio(_ figure: (Int) -> (Double, Double)) -> Double {
      let ratios = file.indices.map(figure).map { $0 / max($1, 0.001) }.sorted()
      return ratios.isEmpty ? 0 : ratios[ratios.count / 2]
    }
  }

  private static let phases: [ImportPhase] = [.cold, .unchanged, .changed]

  func run() throws {
    let made = try corpus.make()
    let work = try BenchStore.workFolder(in: corpus.folder)
    let server = try BenchmarkServer()
    let inFile = WholeImport(
      corpus: made, socket: try LoopbackSocket(), store: BenchStore(program: program, work: work))
    var onServer = inFile
    onServer.store.server = server
    let relay = try Relay(delay: .microseconds(delay * 500))
    var farAway = onServer
    farAway.store.server?.store = try relay.address(of: server.store)
    var runs = [Runs](repeating: Runs(), count: Self.phases.count)
    for round in 0..<max(1, rounds) {
      // Stores on the server take turns as wholes: there is one at a time.
      for place in round.isMultiple(of: 2) ? [0, 1, 2] : [2, 1, 0] {
        let imports = [inFile, onServer, farAway][place]
        try imports.prepare()
        for (number, phase) in Self.phases.enumerated() {
          let before = try server.cpu()
          let sample = try imports.run(phase)
          switch place {
          case 0: runs[number].file.append(sample)
          case 1:
            runs[number].server.append(sample)
            runs[number].serverCPU.append(try server.cpu() - before)
          default: runs[number].far.append(sample)
          }
        }
      }
    }
    try FileManager.default.removeItem(atPath: work)
    print(
      "size \(made.corpus.size.name); medians of \(rounds) rounds, as ratios to a file; the last column to the server's socket"
    )
    print("import         client CPU   with the server   wall time   peak MB   wall time at \(delay) ms")
    for (phase, runs) in zip(Self.phases, runs) {
      let client = runs.ratio { (runs.server[$0].cpu, runs.file[$0].cpu) }
      let together = runs.ratio { (runs.server[$0].cpu + runs.serverCPU[$0], runs.file[$0].cpu) }
      let wall = runs.ratio { (runs.server[$0].wall, runs.file[$0].wall) }
      let peak = Measure("", runs: runs.server).median.peak / (1 << 20)
      let name = phase.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
      let far = runs.ratio { (runs.far[$0].wall, runs.server[$0].wall) }
      print(name + String(format: "%13.2f%18.2f%12.2f%10d%20.2f", client, together, wall, peak, far))
    }
  }
}

/// The server that `Tools/PostgreSQL/with-cluster` starts, with a schema for stores.
struct BenchmarkServer {
  private static let schema = "bench"
  private let server: StoreAddress
  var store: StoreAddress

  init() throws {
    let text = ProcessInfo.processInfo.environment["NEWSIMPORT_TEST_POSTGRESQL"] ?? ""
    guard let server = StoreAddress(text),
      let store = StoreAddress("\(text)&options=-csearch_path%3D\(Self.schema)")
    else {
      throw Failure("NEWSIMPORT_TEST_POSTGRESQL has no address; run it with Tools/PostgreSQL/with-cluster")
    }
    (self.server, self.store) = (server, store)
  }

  func clear() throws {
    try PostgreSQLStore.execute(
      "SET client_min_messages = error; DROP SCHEMA IF EXISTS \(Self.schema) CASCADE; CREATE SCHEMA \(Self.schema)",
      at: server)
  }

  func makeDue() throws {
    try PostgreSQLStore.execute("UPDATE feed SET next_fetch = 0", at: store)
  }

  func tally() throws -> StoreTally {
    try StoreTally { try PostgreSQLStore.execute($0, at: store).first }
  }

  /// Returns the CPU time of all processes of the server so far, in seconds.
  func cpu() throws -> Double {
    let folder = try PostgreSQLStore.execute("SHOW data_directory", at: server).first ?? ""
    let text = try String(contentsOfFile: folder + "/postmaster.pid", encoding: .utf8)
    guard let first = text.split(separator: "\n").first, let main = Int(first) else {
      throw Failure("\(folder)/postmaster.pid: no number of a process")
    }
    // The time of processes that have ended is in that of the main process.
    var ticks = (Self.times(main)?.ticks ?? 0) + (Self.times(main)?.ofChildren ?? 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let process = Int(name), let times = Self.times(process), times.parent == main else { continue }
      ticks += times.ticks
    }
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Reads /proc/PID/stat (proc(5)); nil for a process that has ended.
  private static func times(_ process: Int) -> (parent: Int, ticks: Int, ofChildren: Int)? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      // The name of the program may contain blanks.
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[end...].split(separator: " ").dropFirst().map { Int($0) ?? 0 }
    guard fields.count > 14 else { return nil }
    return (fields[1], fields[11] + fields[12], fields[13] + fields[14])
  }
}
