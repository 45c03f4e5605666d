import Foundation
import PostgreSQLStore

/// The store of measured imports: a file, or a schema of a server.
struct BenchStore {
  let program: String
  let work: String
  /// The server with the store; nil for a file.
  var server: BenchmarkServer?

  /// The file's path, or the address on the server.
  var place: String { server?.store.text ?? work + "/import/news.db" }

  /// An environment without the user's configuration.
  var environment: [String: String] {
    ["NEWSIMPORT_STORE": place, "NEWSIMPORT_CONFIG": "", "XDG_CONFIG_HOME": work + "/config"]
  }

  /// Runs the program, which must succeed, on the store.
  @discardableResult
  func run(_ arguments: [String]) throws -> ChildProcess.End {
    try ChildProcess.run([program] + arguments, environment: environment, output: work + "/output").end
  }

  func clear() throws {
    if let server { return try server.clear() }
    try? FileManager.default.removeItem(atPath: work + "/import")
    try FileManager.default.createDirectory(atPath: work + "/import", withIntermediateDirectories: true)
  }

  /// Adds feeds with the addresses that `url` returns, and creates the store if it is missing.
  func addFeeds(_ count: Int, at url: (Int) -> String) throws {
    let list = work + "/feeds.opml"
    try Data("<opml version=\"2.0\"><head/><body>\n".utf8).write(to: URL(fileURLWithPath: list))
    guard let file = FileHandle(forWritingAtPath: list) else { throw Failure.system(list) }
    try file.seekToEnd()
    // In parts: the memory of this process counts for those that it starts.
    for start in stride(from: 0, to: count, by: 1000) {
      let outlines = (start..<min(count, start + 1000)).map { feed in
        "<outline type=\"rss\" text=\"\(feed)\" xmlUrl=\"\(url(feed))\"/>\n"
      }
      try file.write(contentsOf: Data(outlines.joined().utf8))
    }
    try file.write(contentsOf: Data("</body></opml>\n".utf8))
    try file.close()
    try run(["opml", "import", list, "--region", "bench"])
  }

  /// Creates a folder for temporary files, and returns its path.
  static func workFolder(in folder: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder + "/work", withIntermediateDirectories: true)
    return folder + "/work"
  }
}

/// The contents of a store, as counts.
struct StoreTally: Equatable {
  var articles: Int
  var edited: Int
}

extension StoreTally {
  /// Counts the articles with a query, which returns texts.
  init(_ query: (_ sql: String) throws -> String?) throws {
    func count(_ condition: String) throws -> Int {
      try query("SELECT count(*) FROM article \(condition)").flatMap { Int($0) } ?? -1
    }
    self.init(articles: try count(""), edited: try count("WHERE edits > 0"))
  }

  /// Counts in a separate process, so that the measuring process stays small.
  init(ofFile path: String, output: String) throws {
    try self.init { sql in
      let text = try ChildProcess.run(["sqlite3", "-readonly", path, sql], output: output).text
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}
