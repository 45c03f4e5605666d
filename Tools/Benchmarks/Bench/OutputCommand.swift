import ArgumentParser
import Corpus
import Foundation

/// Measures writing out and the first search of a store, alternating with `sqlite3 -json`.
struct OutputCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "output", abstract: "Measures lists, exports and the first search beside sqlite3 -json.")

  @OptionGroup var corpus: CorpusOptions
  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The number of rounds.") var rounds = 3

  private struct Subject {
    let name: String
    let arguments: [String]
    /// True for a search without an index.
    var isFirstSearch = false
  }

  func run() throws {
    let made = try corpus.make()
    let work = try BenchStore.workFolder(in: corpus.folder)
    let whole = WholeImport(
      corpus: made, socket: try LoopbackSocket(), store: BenchStore(program: program, work: work))
    try whole.prepare()
    _ = try whole.run(.cold)
    let store = whole.store.place
    let subjects = subjects(store, articles: made.corpus.size.articles)
    var measures = subjects.map { Measure($0.name) }
    for _ in 0..<max(1, rounds) {
      for (place, subject) in subjects.enumerated() {
        if subject.isFirstSearch { try? FileManager.default.removeItem(atPath: store + ".search") }
        let end = try ChildProcess(
          subject.arguments, environment: whole.store.environment, output: "/dev/null"
        ).wait()
        guard end.status == 0 else { throw Failure("\(subject.name) ended with \(end.status)") }
        measures[place].runs.append(Sample(cpu: end.user + end.system))
      }
    }
    try FileManager.default.removeItem(atPath: work)
    print(
      "size \(made.corpus.size.name), \(made.corpus.size.articles) articles; median CPU of \(rounds) rounds")
    let yardstick = measures[0].median.cpu
    for measure in measures {
      let seconds = measure.median.cpu
      let name = measure.name.padding(toLength: 28, withPad: " ", startingAt: 0)
      print("\(name)\(String(format: "%7.2f s  %5.2f", seconds, seconds / yardstick))")
    }
  }

  private func subjects(_ store: String, articles: Int) -> [Subject] {
    let columns = "id, guid, feed, title, url, published, modified, authors, tags, summary, content_html"
    let query = "SELECT \(columns) FROM articles"
    let fields =
      "id,guid,feed,title,url,published,modified,authors,tags,summary,also_in,feed_title,regions,content_html"
    return [
      Subject(name: "sqlite3 -json", arguments: ["sqlite3", "-readonly", "-json", store, query]),
      Subject(name: "sql --json", arguments: [program, "sql", "--json", query]),
      Subject(
        name: "list --json, with content",
        arguments: [program, "list", "--json", "--fields", fields, "bench"]),
    ]
      + ["rss", "jsonfeed"].map { format in
        Subject(
          name: "export --format \(format)",
          arguments: [program, "export", "--limit", "\(articles)", "--format", format, "bench"])
      } + [
        Subject(
          name: "the first search", arguments: [program, "search", "government", "--limit", "1"],
          isFirstSearch: true)
      ]
  }
}
