import Foundation

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

  /// There are three tenths as many publishers.
  let feeds: Int
  /// True if the first publisher has 6 % of the feeds; otherwise it has none.
  var hasLargePublisher = true
  let socket: LoopbackSocket
  let store: BenchStore

  /// Creates a store with all feeds. All publishers but a large one have equal parts.
  func prepare() throws {
    try store.clear()
    try store.addFeeds(feeds) { socket.url(publisher: publisher(of: $0), feed: $0) }
  }

  private func publisher(of feed: Int) -> Int {
    let publishers = feeds * 3 / 10
    return hasLargePublisher && feed % 50 < 3 || publishers < 2 ? 0 : 1 + feed % (publishers - 1)
  }

  /// Runs importers of all due feeds at the same time.
  func run(importers count: Int) throws -> Figures {
    let before = try store.server?.cpu() ?? 0
    let start = ContinuousClock.now
    let started = try (0..<count).map { number in
      try ChildProcess(
        [store.program, "fetch", "--due", "-q"], environment: store.environment,
        output: store.work + "/output\(number)")
    }
    let ends = try started.map { try $0.wait() }
    let wall = (ContinuousClock.now - start) / .seconds(1)
    for (number, end) in ends.enumerated() where end.status != 0 {
      let text = (try? String(contentsOfFile: store.work + "/output\(number)", encoding: .utf8)) ?? ""
      throw Failure("an importer ended with \(end.status):\n\(text.suffix(2000))")
    }
    return Figures(
      feeds: feeds, wall: wall, clients: ends.map { $0.user + $0.system }, peak: ends.map(\.peak).max() ?? 0,
      server: try (store.server?.cpu() ?? 0) - before)
  }
}
