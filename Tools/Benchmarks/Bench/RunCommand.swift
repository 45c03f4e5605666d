import ArgumentParser
import BenchmarkFigures
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
    let work = corpus.folder + "/work"
    for folder in [work, (output as NSString).deletingLastPathComponent] where !folder.isEmpty {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let listeners = try Listeners()
    let base = try over.map { ($0, try StoreTally(of: $0, output: work + "/output")) }
    let whole = WholeImport(corpus: made, program: program, listeners: listeners, work: work, base: base)
    var stages = Stage.allCases.map { Measure($0.rawValue, partOf: $0.whole(in: made.corpus)) }
    var imports = ImportPhase.allCases.map { Measure($0.rawValue) }
    for _ in 0..<max(1, rounds) {
      for (place, stage) in Stage.allCases.enumerated() {
        stages[place].runs.append(try measure(stage, work, listeners, made))
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
    try report.json.write(to: URL(fileURLWithPath: output))
  }

  private func measure(
    _ stage: Stage, _ work: String, _ listeners: Listeners, _ made: CorpusFolder
  ) throws -> Sample {
    let server = stage == .download ? try ServerProcess(made.path(.first), on: listeners) : nil
    defer { try? server?.stop() }
    let text = try ChildProcess.run(
      [
        ChildProcess.ownPath, "stage", stage.rawValue, "--size", corpus.size, "--folder", corpus.folder,
        "--work",
        work, "--port", "\(listeners.port)",
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
