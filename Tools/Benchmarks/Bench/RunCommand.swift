import ArgumentParser
import Corpus
import Foundation

/// Measures all stages and all imports, in rounds.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measures stages and whole imports.")

  @OptionGroup var corpus: CorpusOptions
  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The number of rounds.") var rounds = 3
  @Option(help: "A store to copy and import into; by default the imports begin with an empty one.")
  var over: String?
  @Option(help: "The file for all measurements.") var output = ".build/results/bench.json"

  func run() throws {
    let made = try corpus.make()
    let work = try BenchStore.workFolder(in: corpus.folder)
    let socket = try LoopbackSocket()
    let base = try over.map { ($0, try StoreTally(ofFile: $0, output: work + "/output")) }
    let whole = WholeImport(
      corpus: made, socket: socket, store: BenchStore(program: program, work: work), base: base)
    var stages = Stage.allCases.map { Measure($0.rawValue, partOf: $0.whole(in: made.corpus)) }
    var imports = ImportPhase.allCases.map { Measure($0.rawValue) }
    for _ in 0..<max(1, rounds) {
      for (place, stage) in Stage.allCases.enumerated() {
        stages[place].runs.append(try measure(stage, work, socket, made))
      }
      try whole.prepare()
      for (place, phase) in ImportPhase.allCases.enumerated() {
        imports[place].runs.append(try whole.run(phase))
      }
    }
    let report = BenchmarkReport(subject: subject(made), measures: stages + imports)
    print(report.table)
    // The files take gigabytes for a large corpus. They stay after a failure, for inspection.
    try FileManager.default.removeItem(atPath: work)
    let file = URL(fileURLWithPath: output)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try report.json.write(to: file)
  }

  private func measure(
    _ stage: Stage, _ work: String, _ socket: LoopbackSocket, _ made: CorpusFolder
  ) throws -> Sample {
    let server = stage == .download ? try ServerProcess.files(in: made.path(.first), on: socket) : nil
    defer { _ = try? server?.stop() }
    let text = try ChildProcess.run(
      [
        ChildProcess.ownPath, "stage", stage.rawValue, "--size", corpus.size, "--folder", corpus.folder,
        "--work", work, "--port", "\(socket.port)",
      ], output: work + "/output"
    ).text
    return try JSONDecoder().decode(Sample.self, from: Data(text.utf8))
  }

  private func subject(_ made: CorpusFolder) -> String {
    let size = made.corpus.size
    let megabytes = made.bytes(.first) / 1_000_000
    return "size \(size.name): \(size.feeds) feeds, \(size.articles) articles, \(megabytes) MB"
  }
}
