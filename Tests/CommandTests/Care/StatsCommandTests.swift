import Foundation
import LoopbackServer
import NewsModel
import TestSupport
import Testing
import TextOutput

@testable import NewsCommand
@testable import NewsConfiguration

@Suite struct SparklineTests {
  @Test(
    arguments: [
      ([], ""), ([0, 0], ""), ([1], "█"), ([0, 1, 1000], "▁▂█"), ([1, 2, 3, 4, 5, 6, 7], "▂▃▄▅▆▇█"),
      ([-1, 7], "▁█"),
    ] as [([Int], String)]) func `the height of a bar follows its number`(numbers: [Int], text: String)
  {
    #expect(Sparkline.text(numbers) == text)
  }
}

@Suite struct StatisticsTableTests {
  private let table: StatisticsTable = {
    var world = FeedStatistics(name: "world")
    world.states = [.healthy: 2, .gone: 1, .neverPolled: 1]
    world.articles = 1204
    world.days = [20, 41, 62]
    (world.answers, world.notModified, world.inserted, world.edited) = (60, 47, 939, 61)
    (world.markupChanges, world.dateChanges) = (3, 1490)
    world.bytesPerDay = 1_100_000
    var tech = FeedStatistics(name: "tech\u{1B}[2J")
    tech.states = [.failing: 1]
    tech.days = [0, 0, 1]
    return StatisticsTable(kind: "region", lines: [world, tech], days: 3)
  }()

  @Test func `the columns are aligned, numbers to the right`() {
    #expect(
      table.text(width: nil) == """
        region         feeds  healthy  failing  stale  gone  articles  new/day  edits  minor edits  304 rate  bytes/day  last 3 days
        world              4        2        0      0     1     1,204       41   6.1%        1,493       78%     1.1 MB  ▃▆█
        tech\\u001b[2J      1        0        1      0     0         0      0.3      -            -         -          -  ▁▁█

        """)
  }

  @Test func `a feed has a word for its state`() {
    var feed = FeedStatistics(name: "https://a.example/")
    feed.states = [.stale: 1]
    feed.days = [0, 3]
    #expect(
      StatisticsTable(kind: "feed", lines: [feed], days: 2).text(width: 70) == """
        feed                state  articles  new/day  edits  304 rate
        https://a.example/  stale         0      1.5      -         -

        """)
  }

  @Test func `long addresses are cut only on a terminal`() {
    let address = "https://a.example/" + String(repeating: "x", count: 80)
    let table = StatisticsTable(kind: "feed", lines: [FeedStatistics(name: address)], days: 2)
    #expect(table.text(width: nil).contains(address + "  "))
    #expect(!table.text(width: 200).contains(address) && table.text(width: 200).contains("xx…xx"))
  }

  @Test func `addresses of feeds are cut so that each stays recognizable`() {
    let names = ["world/europe", "world/africa", "tech"].map {
      "https://news.example.org/feeds/of/the/sections/\($0)/rss.xml"
    }
    let same = ["one", "two"].map {
      "https://a.example/\(String(repeating: "x", count: 40))\($0)\(String(repeating: "y", count: 40))"
    }
    var table = StatisticsTable(kind: "feed", lines: names.map { FeedStatistics(name: $0) }, days: 14)
    var lines = table.text(width: 80).split(separator: "\n")
    #expect(lines.count == 4 && lines.allSatisfy { $0.count <= 80 })
    #expect(lines[1].contains("rope/rss.xml ") && lines[2].contains("rica/rss.xml "))
    // Addresses that differ only in the middle have a line of their own.
    table = StatisticsTable(kind: "feed", lines: (same + names).map { FeedStatistics(name: $0) }, days: 14)
    lines = table.text(width: 80).split(separator: "\n")
    #expect(lines.count == 8 && lines[1] == same[0] && lines[3] == same[1] && lines[2].hasPrefix("     "))
    #expect(lines[5].contains("rope/rss.xml "))
  }

  @Test(arguments: [40, 60, 80, 100, 120]) func `a narrow terminal shows the columns that fit`(width: Int) {
    let lines = table.text(width: width).split(separator: "\n")
    #expect(lines[0].hasPrefix("region") && lines[0].contains("articles"))
    #expect(lines.allSatisfy { $0.count <= width })
    #expect(
      !lines[0].contains("last 3 days") || lines[0].contains("304 rate"), "bars give way before numbers")
    #expect(lines[0].contains("failing"), "a figure that warns stays")
  }

  @Test func `80 columns have room for each figure that warns, beside names of any length`() {
    var region = FeedStatistics(name: String(repeating: "long ", count: 30))
    region.states = [.failing: 1234, .stale: 567, .gone: 89]
    region.articles = 12_345_678
    region.days = Array(repeating: 3, count: 14)
    let table = StatisticsTable(kind: "region", lines: [region], days: 14)
    let lines = table.text(width: 80).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 } && lines[1].hasPrefix("long long long"))
    for (title, figure) in [("failing", "1,234"), ("stale", "567"), ("gone", "89")] {
      #expect(lines[0].contains(title) && lines[1].contains(" \(figure) "), "\(title)")
    }
  }

  @Test func `the fields for programs stay the same`() {
    #expect(
      table.json == """
        {"region":"world","feeds":4,"healthy":2,"failing":0,"stale":0,"gone":1,"unasked":1,"articles":1204,\
        "new_per_day":41.0,"edit_rate":0.061,"not_modified_rate":0.783,"bytes_per_day":1100000,"days":[20,41,62],\
        "markup_changes":3,"date_changes":1490,"missed_answers":0}
        {"region":"tech\\u001b[2J","feeds":1,"healthy":0,"failing":1,"stale":0,"gone":0,"unasked":0,"articles":0,\
        "new_per_day":0.333,"edit_rate":null,"not_modified_rate":null,"bytes_per_day":null,"days":[0,0,1],\
        "markup_changes":0,"date_changes":0,"missed_answers":0}

        """)
  }
}

@Suite struct StatsCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func item(_ guid: String, daysAgo: Double) -> String {
    let date = Date(timeIntervalSinceNow: -daysAgo * 86400).formatted(.iso8601)
    return "<entry><id>\(guid)</id><title>\(guid)</title><updated>\(date)</updated></entry>"
  }

  private func numbers(_ arguments: String...) async throws -> [[String: Any]] {
    let result = try await newsimport.run(["stats", "--json"] + arguments)
    #expect(result.status == 0 && result.err == "")
    return try result.out.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  @Test func `the numbers of a region are those of its feeds`() async throws {
    let items = item("a", daysAgo: 0) + item("b", daysAgo: 0) + item("c", daysAgo: 2) + item("d", daysAgo: 60)
    let server = try LoopbackHTTPServer { request in
      if request.path == "/bad" { return .status(500) }
      if request.path == "/gone" { return .status(410) }
      return .ok("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>T</title>\(items)</feed>")
    }
    defer { server.stop() }
    _ = try await newsimport(
      "region", "add", "world", server.url("/a"), server.url("/bad"), server.url("/gone"))
    _ = try await newsimport("region", "add", "tech", server.url("/a"), "http://127.0.0.1:1/never")
    _ = try await newsimport("region", "add", "blogs", server.url("/b"))
    _ = try await newsimport("fetch", "world", "blogs", "-q")
    let lines = try await numbers("--days", "7")
    #expect(lines.compactMap { $0["region"] as? String } == ["blogs", "tech", "world"])
    let (tech, world) = (lines[1], lines[2])
    #expect(lines[0]["articles"] as? Int == 4)
    #expect(world["feeds"] as? Int == 3 && world["failing"] as? Int == 1 && world["gone"] as? Int == 1)
    #expect(world["healthy"] as? Int == 1 && world["articles"] as? Int == 4)
    #expect(world["days"] as? [Int] == [0, 0, 0, 0, 1, 0, 2] && world["new_per_day"] as? Double == 0.429)
    #expect(world["edit_rate"] as? Double == 0)
    #expect(tech["unasked"] as? Int == 1 && tech["articles"] as? Int == 4)
    let feeds = try await numbers("--by", "feed")
    #expect(feeds.count == 5 && feeds.contains { $0["feed"] as? String == server.url("/bad") })
    #expect(try await numbers("--by", "feed", "tech").count == 2)
    #expect(try await numbers("world").count == 1)
  }

  @Test func `a named feed that is in no region has a line of its own`() async throws {
    let lines = "{\"guid\":\"1\",\"feed\":\"https://a.example/feed\",\"title\":\"One\"}\n"
    _ = try await newsimport("import", "-", input: lines)
    let feed = try await numbers("--feed", "https://a.example/feed")
    #expect(feed.map { $0["feed"] as? String } == ["https://a.example/feed"])
    #expect(feed.map { $0["articles"] as? Int } == [1])
    #expect(try await newsimport("stats", "--feed", "a.example").out.hasPrefix("feed "))
  }

  @Test func `a missing store or an unknown region is reported`() async throws {
    #expect(try await newsimport("stats").status == 66)
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    #expect(
      try await newsimport("stats", "wrld")
        == .init(status: 66, out: "", err: "newsimport: wrld: no such region; did you mean world?\n"))
    #expect(try await newsimport("stats", "--days", "0").status == 64)
  }
}
