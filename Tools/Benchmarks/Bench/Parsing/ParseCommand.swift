import ArgumentParser
import CParseBaseline
import Corpus
import Foundation

/// Measures FeedParsing compared with libxml2 alone; `make bench-parse`.
///
/// Four readers take turns on the same files, in chunks of 16 KiB like libcurl's. The table shows medians of CPU seconds,
/// which other programs affect little.
struct ParseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Measures the parser compared with libxml2 alone.")

  @Argument(help: "A folder of feeds; a corpus if it is missing.") var feeds: String?
  @OptionGroup var corpus: CorpusOptions
  @Option(help: "The number of rounds.") var rounds = 5

  func run() throws {
    let files = try Self.files(in: try feeds ?? corpus.make().path(.first))
    // The command does the same. Otherwise glibc returns memory after each document and requests it again for the next.
    baseline_keep_memory()
    let readers = FeedReader.allCases
    var measures = readers.map { Measure($0.rawValue) }
    for round in 0..<max(1, rounds) {
      // Each round has another order, because the first reader finds colder caches.
      for index in readers.indices {
        let place = (index + round) % readers.count
        measures[place].runs.append(try Self.measure(readers[place], files))
      }
    }
    let medians = measures.map(\.median)
    print("\(files.count) feeds, \(medians[0].rows) items; CPU, medians of \(rounds) interleaved runs")
    for (reader, median) in zip(readers, medians) {
      let name = reader.rawValue.padding(toLength: 46, withPad: " ", startingAt: 0)
      let rate = Double(median.bytes) / median.cpu / 1e6
      print(
        name
          + String(format: "%7.2f s %7.0f MB/s  %5.2f times", median.cpu, rate, median.cpu / medians[1].cpu))
    }
  }

  /// Returns the feeds in a folder and its subfolders, in the order of their names.
  private static func files(in folder: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let feeds = names.filter { $0.hasSuffix(".xml") || $0.hasSuffix(".rss") || $0.hasSuffix(".atom") }
    guard !feeds.isEmpty else {
      throw Failure(
        "\(folder): no feeds (.xml, .rss, .atom); name a folder of them: make bench-parse CORPUS=…")
    }
    return feeds.sorted().map { folder + "/" + $0 }
  }

  private static func measure(_ reader: FeedReader, _ files: [String]) throws -> Sample {
    var stopwatch = Stopwatch()
    var sample = Sample()
    try stopwatch.measure {
      for file in files {
        let document = try reader.read(file)
        sample.bytes += document.bytes
        sample.rows += document.items
      }
    }
    sample.cpu = stopwatch.cpu
    return sample
  }
}
