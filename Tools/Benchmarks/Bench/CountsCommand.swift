import ArgumentParser
import Corpus
import Foundation

/// Counts the instructions and cache misses of the single-threaded stages, and compares them with the recorded counts.
struct CountsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counts",
    abstract: "Counts instructions and cache misses, and compares them with the recorded counts.")

  @Option(help: "The file of the recorded counts.") var file = "Tools/Benchmarks/counts.json"
  @Option(help: "The folder of all corpora.") var folder = ".build/bench"
  @Flag(help: "Record the new counts.") var update = false

  private static let stages: [Stage] = [.parse, .rows, .commit]

  func run() throws {
    let counts = try measure()
    if update {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try (encoder.encode(counts) + Data("\n".utf8)).write(to: URL(fileURLWithPath: file))
      print("\(file): written; review the difference")
      return
    }
    let kept = try JSONDecoder().decode(
      StageCounts.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    switch kept.verdict(on: counts) {
    case .kept(let lines): print(lines.joined(separator: "\n"))
    case .incomparable(let difference): print("counts are not compared: \(difference)")
    case .exceeded(let lines):
      print(lines.joined(separator: "\n"))
      throw Failure("more than in \(file); to accept it: make counts UPDATE=1")
    }
  }

  private func measure() throws -> StageCounts {
    let work = try BenchStore.workFolder(in: folder)
    try CorpusFolder(Corpus(.smallest), in: folder).make()
    let stripped = work + "/bench-stripped"
    let log = work + "/counts.log"
    // Valgrind cannot read the debug information of the Swift runtime.
    try ChildProcess.run(["strip", "--strip-debug", "-o", stripped, ChildProcess.ownPath], output: log)
    var counts: [String: [CountedEvent: Int]] = [:]
    for stage in Self.stages {
      let output = try ChildProcess.run(
        Self.callgrind + [
          stripped, "stage", stage.rawValue, "--size", CorpusSize.smallest.name, "--folder", folder,
        ],
        environment: ["SWIFT_DETERMINISTIC_HASHING": "1"], output: log
      ).text
      counts[stage.rawValue] = try Self.collected(output)
    }
    return StageCounts(
      command: (Self.callgrind + ["bench", "stage", "STAGE", "--size", CorpusSize.smallest.name])
        .joined(separator: " "),
      versions: try versions(log), counts: counts)
  }

  private static let callgrind = [
    "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
    "--toggle-collect=*measuredSection*",
    // The caches of today's processors; valgrind would take this machine's.
    "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64",
  ]

  /// Returns the numbers in callgrind's last line `Collected : 12345 …`, whose names are in a line `Events    : Ir …`.
  private static func collected(_ output: String) throws -> [CountedEvent: Int] {
    func words(_ title: String) -> [Substring] {
      let line = output.split(separator: "\n").last { $0.contains(title) } ?? ""
      return line.split(separator: ":").last?.split(separator: " ") ?? []
    }
    let numbers = zip(words("Events    : "), words("Collected : ")).map { (String($0), Int($1) ?? 0) }
    let found = Dictionary(numbers) { $1 }
    guard let instructions = found["Ir"], instructions > 0 else {
      throw Failure("callgrind has counted nothing:\n\(output.suffix(2000))")
    }
    return [
      .instructions: instructions, .instructionMisses: found["I1mr"] ?? 0,
      .dataMisses: (found["D1mr"] ?? 0) + (found["D1mw"] ?? 0),
    ]
  }

  /// Returns the versions of everything outside the project that the counts depend on.
  private func versions(_ log: String) throws -> [String: String] {
    var versions: [String: String] = [:]
    for package in ["libc6", "libsqlite3-0", "libxml2", "valgrind"] {
      versions[package] = try ChildProcess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", package], output: log
      ).text
    }
    let swift = try ChildProcess.run(["swiftc", "--version"], output: log).text
    versions["Swift"] = swift.firstMatch(of: /Swift version ([^ ]+)/).map { String($0.1) }
    return versions
  }
}
