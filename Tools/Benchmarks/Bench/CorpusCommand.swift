import ArgumentParser
import Corpus
import Foundation

/// The selection of a corpus and its location.
struct CorpusOptions: ParsableArguments {
  @Option(help: "XS, S, M, L or XL.")
  var size = "S"

  @Option(help: "The folder of all corpora.")
  var folder = ".build/bench"

  func make() throws -> CorpusFolder {
    guard let size = CorpusSize.named(size) else {
      throw Failure("\(size): no such size; there are \(CorpusSize.all.map(\.name).joined(separator: ", "))")
    }
    let corpus = CorpusFolder(Corpus(size), in: folder)
    try corpus.make()
    return corpus
  }
}

extension CorpusFolder {
  /// Returns the files of a revision, in the order of their feeds.
  func files(_ revision: Corpus.Revision) -> [String] {
    (0..<corpus.size.feeds).map { file($0, revision) }
  }

  /// Returns the size of a revision in bytes, optionally only of the feeds that it changes.
  func bytes(_ revision: Corpus.Revision, changedOnly: Bool = false) -> Int {
    (0..<corpus.size.feeds).reduce(0) { sum, feed in
      if changedOnly && !corpus.change(of: feed).isChange { return sum }
      let size = try? FileManager.default.attributesOfItem(atPath: file(feed, revision))[.size] as? Int
      return sum + (size ?? 0)
    }
  }
}

/// Creates a corpus and prints the path of its first revision.
struct CorpusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "corpus", abstract: "Writes the feeds of a size.")

  @OptionGroup var corpus: CorpusOptions

  func run() throws {
    print(try corpus.make().path(.first))
  }
}
