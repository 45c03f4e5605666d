import ArgumentParser
import Corpus
import Foundation
import SQLiteStore

/// A part of an import that is measured in a separate process.
enum Stage: String, CaseIterable, ExpressibleByArgument {
  /// Bodies downloaded over loopback and discarded.
  case download
  /// Documents to articles.
  case parse
  /// Articles to rows: identities, hashes, lists as JSON.
  case rows
  /// Rows through a context and a root into a store that discards them.
  case save
  /// Rows into SQLite, in transactions of the root's size.
  case commit
  /// Did-save notifications into a context that has all feeds.
  case merge
  /// The identities and hashes of each feed, from a store that has them all.
  case lookup

  /// Returns the import that contains the stage.
  func whole(in corpus: Corpus) -> Measure.Whole {
    guard self == .lookup else { return .init(ImportPhase.cold.rawValue) }
    let changed = (0..<corpus.size.feeds).count { corpus.change(of: $0).isChange }
    return .init(ImportPhase.changed.rawValue, part: Double(changed) / Double(corpus.size.feeds))
  }

  /// Runs the stage. Its input is prepared before the measurement.
  ///
  /// - Parameters:
  ///   - work: A folder for temporary files.
  ///   - port: The port of a server with the first revision.
  func run(_ corpus: CorpusFolder, work: String, port: UInt16) throws -> Sample {
    var stopwatch = Stopwatch()
    let counted: (bytes: Int, rows: Int)
    switch self {
    case .download: counted = try DownloadStage.run(corpus, port: port, &stopwatch)
    case .parse: counted = try ParseStage.run(corpus, &stopwatch)
    case .rows: counted = try RowsStage.run(corpus, &stopwatch)
    case .save: counted = try SaveStage.run(corpus, &stopwatch)
    case .commit: counted = try StoreStages.commit(corpus, work: work, &stopwatch)
    case .merge: counted = try StoreStages.merge(corpus, work: work, &stopwatch)
    case .lookup: counted = try StoreStages.lookUp(corpus, work: work, &stopwatch)
    }
    return Sample(
      cpu: stopwatch.cpu, system: stopwatch.system, wall: stopwatch.wall, bytes: counted.bytes,
      rows: counted.rows,
      peak: Stopwatch.peakMemory)
  }
}

/// Runs one stage once and prints its measurements as JSON.
struct StageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stage", abstract: "Runs one stage once, for a profile.")

  @Argument var stage: Stage
  @OptionGroup var corpus: CorpusOptions
  @Option(help: "A folder for temporary files.") var work = ".build/bench/work"
  @Option(help: "The port of a server with the first revision, for the download stage.") var port: UInt16 = 0

  func run() throws {
    // As in the program.
    SQLiteLibrary.configureForImports()
    let sample = try stage.run(try corpus.make(), work: work, port: port)
    print(String(decoding: try JSONEncoder().encode(sample), as: UTF8.self))
  }
}
