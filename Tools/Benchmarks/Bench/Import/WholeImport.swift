import BenchmarkFigures
import Corpus
import Foundation
import PostgreSQLStore

/// Imports a corpus with the program, as its users do.
struct WholeImport {
  let corpus: CorpusFolder
  /// The path of the newsimport binary.
  let program: String
  /// The words of a command that runs the program, such as a profiler; none for the program itself.
  var wrapper: [String] = []
  let listeners: Listeners
  /// A folder for temporary files.
  let work: String
  /// A store to copy and import into, with its counts; nil for an empty one.
  let base: (path: String, tally: StoreTally)?
  /// The server with the store; nil for a file.
  var server: BenchmarkServer?

  private var store: String { server?.store.text ?? work + "/import/news.db" }
  private var log: String { work + "/output" }
  /// An environment without the user's configuration.
  private var environment: [String: String] {
    ["NEWSIMPORT_STORE": store, "NEWSIMPORT_CONFIG": "", "XDG_CONFIG_HOME": work + "/config"]
  }

  /// Creates a store with all feeds and no articles.
  func prepare() throws {
    if let server {
      try server.clear()
    } else {
      try? FileManager.default.removeItem(atPath: work + "/import")
      try FileManager.default.createDirectory(atPath: work + "/import", withIntermediateDirectories: true)
    }
    if let base { try FileManager.default.copyItem(atPath: base.path, toPath: store) }
    let outlines = (0..<corpus.corpus.size.feeds).map { feed in
      "<outline type=\"rss\" text=\"\(feed)\" xmlUrl=\"\(listeners.url(corpus.corpus.path(of: feed), of: feed))\"/>\n"
    }
    let opml = "<opml version=\"2.0\"><head/><body>\n\(outlines.joined())</body></opml>\n"
    try Data(opml.utf8).write(to: URL(fileURLWithPath: work + "/feeds.opml"))
    try ChildProcess.run(
      wrapper + [program, "opml", "import", work + "/feeds.opml", "--region", "bench"],
      environment: environment, output: log)
  }

  /// Runs one import over the result of the previous one, and checks the store afterwards.
  func run(_ phase: ImportPhase) throws -> Sample {
    let server = try ServerProcess(
      corpus.path(phase.revision), on: listeners, withoutValidators: phase == .sameBytes)
    let end: ChildProcess.End
    do {
      end = try ChildProcess.run(
        wrapper + [program, "fetch", "bench", "--max-body", "4GiB"], environment: environment, output: log
      ).end
      try server.stop()
    } catch {
      try? server.stop()
      throw error
    }
    try check(phase)
    return Sample(
      cpu: end.user + end.system, system: end.system, wall: end.wall, bytes: phase.bytes(corpus),
      rows: phase.rows(corpus.corpus),
      peak: end.peak)
  }

  /// Fails if the import lost articles.
  private func check(_ phase: ImportPhase) throws {
    let isFirst = phase.revision == .first
    let wanted = StoreTally(
      articles: (base?.tally.articles ?? 0)
        + (isFirst ? corpus.corpus.size.articles : corpus.corpus.articlesInAll),
      edited: (base?.tally.edited ?? 0)
        + (isFirst ? 0 : (0..<corpus.corpus.size.feeds).count { corpus.corpus.change(of: $0).hasEdit }))
    let found = try server?.tally() ?? StoreTally(of: store, output: log)
    guard found == wanted else {
      throw Failure("after \(phase.rawValue) the store has \(found), but \(wanted) is expected")
    }
  }
}
