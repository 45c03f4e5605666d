import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

/// What SQL shows of a store on a server is what it shows of a file.
@Suite(.enabled(if: TestServer.address != nil, "needs a PostgreSQL server: make test-postgresql"))
struct StoreDialectTests {
  /// A time that belongs to the next second when it is rounded to milliseconds, as SQLite does.
  private static let start = Date(timeIntervalSince1970: 1_790_000_000.9996)

  /// Publishers, whose answers depend on the number of the poll.
  private final class World: Sendable {
    let round = Locked(0)
    let server: LoopbackHTTPServer

    init() throws {
      let hardest = try Data(contentsOf: Repository.fixtures.appending(path: "atom-modules.xml"))
      server = try LoopbackHTTPServer { [round] request in
        let round = round.withLock { $0 }
        return switch request.path {
        case "/edited":
          .ok(World.edited(round), headers: ["ETag: \"caf\u{E9}\(round)\"", "Last-Modified: now"])
        case "/copies": .ok(World.edited(0))
        case "/hard": .ok(String(decoding: hardest, as: UTF8.self))
        case "/busy": .status(503, "Service Unavailable")
        default: .status(404, "Not Found")
        }
      }
    }

    private static func edited(_ round: Int) -> String {
      let items = (0..<8).map { item in
        """
        <item><guid>\(item)</guid><link>https://news.example/\(item)</link><title>T\(item)\(item == 1 ? "\(round)" : "")</title>
        <category>a"b\\c</category><pubDate>\(item % 2 == 0 ? "Wed, 16 Sep 2026 17:23:16 +0000" : "")</pubDate>
        <description>Wörds \(item == 2 ? "\(round / 3)" : "") &lt;b&gt;\(item == 3 ? "\(round)" : "")&lt;/b&gt;</description></item>
        """
      }
      return "<rss version=\"2.0\"><channel><title>Daily</title>\(items.joined())</channel></rss>"
    }
  }

  private static let failures: [PollFailure] =
    PollFailure.Code.allCases.flatMap { code in
      [0, 404, 1500, 2000, 1234, 3 << 20, 2048].map { PollFailure(code, number: $0, detail: "d'\"é") }
    } + [PollFailure(.tls, detail: nil, address: "https://a.example/x")]

  private static let reasons: [PollReason] = PollReason.Code.allCases.flatMap { code in
    [0, 59, 3600, 90_061, 700_000].map { seconds in
      var reason = PollReason(
        code, seconds: seconds, count: Int(seconds) % 3, status: 429, proxy: "http://p/")
      reason.isPostponed = seconds == 3600
      return reason
    }
  }

  private static let addresses: [WebAddress] = [
    "https://reader:secret@a.example/feed?x=1", "https://reader:se:cr@et@b.example",
    "https://reader:secret@c.example?q=a/b", "https://d.example/feed/user:1@b", "https://e.example#x:y@z",
  ]

  /// Makes a store with everything that a view may show.
  private func store(_ kind: StoreKind, _ world: World) async throws -> NewsStore {
    let store = try NewsStore(kind)
    try await store.add(["/edited", "/copies", "/hard", "/busy", "/missing"].map(world.server.url))
    for round in 0..<8 {
      world.round.withLock { $0 = round }
      store.clock.set(Self.start.addingTimeInterval(TimeInterval(round) * 86_400))
      try await store.fetch()
    }
    let count = max(Self.failures.count, Self.reasons.count)
    try await store.perform { (source) throws(StoreError) in
      _ = try source.add(Self.addresses, toRegionNamed: "a \"quoted\" \\ name")
      _ = try source.add(
        (0..<count).map { WebAddress("https://f.example/\($0)") }, toRegionNamed: "many")
    }
    try await store.perform { (source) throws(StoreError) in
      for (place, feed) in try source.feeds().sorted(by: { $0.id.key < $1.id.key }).enumerated()
      where place > 9 {
        feed.lastFailure = Self.failures[place % Self.failures.count]
        feed.nextReason = Self.reasons[place % Self.reasons.count]
        feed.nextFetch = Date(timeIntervalSince1970: TimeInterval(place) * 40_000_000 - 1e9)
        feed.etag = [[], Array("\"é\"".utf8), [0x22, 0xFF], Array("W/\"a\\b\"".utf8)][place % 4]
        feed.isGone410 = place % 5 == 0
        feed.failures = place % 3
        feed.movedTo = Self.addresses[place % Self.addresses.count]
      }
      for article in try source.context.fetch(FetchRequest(Article.self, where: .among(\.guid, ["1", "3"]))) {
        source.context.insert(Star.self).article = article.id
      }
    }
    return store
  }

  @Test func `the views have the same columns and values`() async throws {
    let world = try World()
    defer { world.server.stop() }
    let (file, server) = (try await store(.sqlite, world), try await store(.postgresql, world))
    for (view, order) in [
      ("regions", "id"), ("feeds", "id"), ("articles", "feed_id, guid"), ("fetches", "id"),
      ("versions", "(SELECT guid FROM article a WHERE a.id = article_id), article_id, version"),
    ] {
      var statement = "SELECT * FROM \(view) ORDER BY \(order)"
      var (one, other) = (try file.table(statement), try server.table(statement))
      #expect(one.columns == other.columns)
      // The times of requests, and the order in which answers arrive, differ.
      let same = one.columns.filter {
        !["first_byte_ms", "total_ms", "id", "sequence", "article_id"].contains($0)
      }
      let rows = view == "fetches" ? "feed_id, date" : order
      statement = "SELECT \(same.joined(separator: ", ")) FROM \(view) ORDER BY \(rows)"
      (one, other) = (try file.table(statement), try server.table(statement))
      #expect(one.rows.count > 2 && one.rows.count == other.rows.count)
      for (one, other) in zip(one.rows, other.rows) where one != other {
        for (name, (one, other)) in zip(same, zip(one, other)) { #expect(one == other, "\(view).\(name)") }
      }
    }
  }

  @Test func `the statistics are the same`() async throws {
    let world = try World()
    defer { world.server.stop() }
    var found: [[FeedStatistics]] = []
    var volatile: [[VolatileFields]] = []
    for kind in [StoreKind.sqlite, .postgresql] {
      let store = try await store(kind, world)
      let now = Self.start.addingTimeInterval(8 * 86_400)
      for subject in StatisticsReader.Subject.allCases {
        for feeds in [nil, [Int64(1), 3, 9]] {
          let reader = StatisticsReader(
            by: subject, of: nil, inFeeds: feeds, at: now, days: 20, store.statistics)
          found.append(try reader.statistics())
        }
      }
      volatile.append(try VolatileFields.all(store.statistics))
    }
    let half = found.count / 2
    for (one, other) in zip(found[..<half], found[half...]) { #expect(one == other) }
    #expect(found[0].contains { $0.articles > 8 && $0.days.contains { $0 > 0 } })
    #expect(volatile[0] == volatile[1] && volatile[0].count == 1)
  }
}
