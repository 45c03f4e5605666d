import Corpus
import Foundation

/// Imports a corpus with the program, as its users do.
struct WholeImport {
  let corpus: CorpusFolder
  let socket: LoopbackSocket
  var store: BenchStore
  /// A store to copy and import into, with its counts; nil for an empty one.
  var base: (path: String, tally: StoreTally)?

  /// Creates a store with all feeds and no articles.
  func prepare() throws {
    try store.clear()
    if let base { try FileManager.default.copyItem(atPath: base.path, toPath: store.place) }
    try store.addFeeds(corpus.corpus.size.feeds) {
      LoopbackSocket.url(corpus.corpus.path(of: $0), of: $0, port: socket.port)
    }
  }

  /// Runs one import over the result of the previous one, and checks the store afterwards.
  func run(_ phase: ImportPhase) throws -> Sample {
    let server = try ServerProcess.files(
      in: corpus.path(phase.revision), on: socket, withoutValidators: phase == .sameBytes)
    defer { _ = try? server.stop() }
    let end = try store.run(["fetch", "bench", "--max-body", "4GiB"])
    try check(phase)
    return Sample(
      cpu: end.user + end.system, system: end.system, wall: end.wall, bytes: phase.bytes(corpus),
      rows: phase.rows(corpus.corpus), peak: end.peak)
  }

  /// Fails if the import lost articles.
  private func check(_ phase: ImportPhase) throws {
    let isFirst = phase.revision == .first
    let wanted = StoreTally(
      articles: (base?.tally.articles ?? 0)
        + (isFirst ? corpus.corpus.size.articles : corpus.corpus.articlesInAll),
      edited: (base?.tally.edited ?? 0)
        + (isFirst ? 0 : (0..<corpus.corpus.size.feeds).count { corpus.corpus.change(of: $0).hasEdit }))
    let found =
      try store.server?.tally() ?? StoreTally(ofFile: store.place, output: store.work + "/output")
    guard found == wanted else {
      throw Failure("after \(phase.rawValue) the store has \(found), but \(wanted) is expected")
    }
  }
}
