import Foundation
import PostgreSQLStore

/// Feeds of many publishers, and importers that share them.
struct Fleet {
  /// The measurements of importers that ran at the same time, until no feed was due.
  struct Figures {
    let feeds: Int
    let wall: Double
    /// The CPU time of each importer, in seconds.
    var clients: [Double] = []
    /// The peak memory of the importers, in bytes.
    var peak = 0
    /// The CPU time of the server's processes, in seconds.
    var server = 0.0

    var rate: Double { Double(feeds) / wall }
  }

  let feeds: Int
  let publishers: Int
  /// True if the first publisher has 6 % of the feeds; otherwise it has none.
  var hasLargePublisher = true
  let socket: LoopbackSocket
  /// The path of the newsimport binary.
  let program: String
  /// A folder for temporary files.
  let work: String
  /// The server with the store; nil for a file.
  let server: BenchmarkServer?
  /// Further options of imports.
  var options: [String] = []

  private var store: String { server?.store.text ?? work + "/store/news.db" }
  private var environment: [String: String] {
    ["NEWSIMPORT_STORE": store, "NEWSIMPORT_CONFIG": "", "XDG_CONFIG_HOME": work + "/config"]
  }

  /// Creates a store with all feeds. All publishers but a large one have equal parts.
  func prepare() throws {
    if let server {
      try server.clear()
    } else {
      try? FileManager.default.removeItem(atPath: work + "/store")
      try FileManager.default.createDirectory(atPath: work + "/store", withIntermediateDirectories: true)
    }
    let list = work + "/feeds.opml"
    try Data("<opml version=\"2.0\"><head/><body>\n".utf8).write(to: URL(fileURLWithPath: list))
    guard let file = FileHandle(forWritingAtPath: list) else { throw Failure.system(list) }
    try file.seekToEnd()
    // In parts: the memory of this process counts for those that it starts.
    for start in stride(from: 0, to: feeds, by: 1000) {
      let outlines = (start..<min(feeds, start + 1000)).map { feed in
        "<outline type=\"rss\" text=\"\(feed)\" xmlUrl=\"\(socket.url(publisher: publisher(of: feed), feed: feed))\"/>\n"
      }
      try file.write(contentsOf: Data(outlines.joined().utf8))
    }
    try file.write(contentsOf: Data("</body></opml>\n".utf8))
    try file.close()
    try ChildProcess.run(
      [program, "opml", "import", list, "--region", "bench"], environment: environment,
      output: work + "/output")
  }

  private func publisher(of feed: Int) -> Int {
    hasLargePublisher && feed % 50 < 3 || publishers < 2 ? 0 : 1 + feed % (publishers - 1)
  }

  /// Runs importers of all due feeds at the same time.
  func run(importers count: Int) throws -> Figures {
    let before = try server?.cpu() ?? 0
    let start = ContinuousClock.now
    let started = try (0..<count).map { number in
      try ChildProcess(
        [program, "fetch", "--due", "-q"] + options, environment: environment,
        output: work + "/output\(number)")
    }
    let ends = try started.map { try $0.wait() }
    let wall = (ContinuousClock.now - start) / .seconds(1)
    for (number, end) in ends.enumerated() where end.status != 0 {
      let text = (try? String(contentsOfFile: work + "/output\(number)", encoding: .utf8)) ?? ""
      throw Failure("an importer ended with \(end.status):\n\(text.suffix(2000))")
    }
    return Figures(
      feeds: feeds, wall: wall, clients: ends.map { $0.user + $0.system }, peak: ends.map(\.peak).max() ?? 0,
      server: try (server?.cpu() ?? 0) - before)
  }
}
