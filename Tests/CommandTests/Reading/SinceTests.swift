import LoopbackServer
import TestSupport
import Testing

/// The times that `--since` accepts.
@Suite struct SinceTests {
  private let newsimport: CommandRun

  /// An article of 17:23:16 UTC, 18:23 in Berlin, in February, and one of July, when clocks there are another hour ahead.
  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    try await fetch(
      ["w": "Wed, 03 Feb 2010 17:23:16 GMT", "s": "Sat, 03 Jul 2010 17:23:16 GMT"], into: "world", newsimport)
  }

  /// Fetches a feed of articles with guids and dates (RFC 822).
  private static func fetch(_ dates: [String: String], into region: String, _ newsimport: CommandRun)
    async throws
  {
    let items = dates.map { "<item><guid>\($0)</guid><title>\($0)</title><pubDate>\($1)</pubDate></item>" }
    let feed = "<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>"
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", region, server.url("/feed"))
    _ = try await newsimport("fetch", region, "-q")
  }

  @Test(arguments: [
    ("2010-02-03 18:23", ["s", "w"]), ("2010-02-03 18:24", ["s"]), ("2010-02-03T18:23:17", ["s"]),
    ("2010-02-03 18:23:16", ["s", "w"]), ("2010-07-03 19:23", ["s"]), ("2010-07-03 19:24", []),
    // A time with an offset does not depend on the time zone.
    ("2010-02-03T17:23:16Z", ["s", "w"]), ("2010-02-03T17:23:17Z", ["s"]), ("2010-02-03T17:24Z", ["s"]),
    ("Today", []), ("yesterday", []), ("9000min", []), ("3 weeks", []), ("1day", []), ("2010-07-04", []),
    ("2010-07-03", ["s"]),
  ]) func `a time as lists print it is in the local time zone`(since: String, guids: [String]) async throws {
    let result = try await newsimport.run(
      ["list", "world", "--since", since, "--fields", "guid"], variables: ["TZ": "Europe/Berlin"])
    #expect(result == .init(status: 0, out: guids.map { "\($0)\n" }.joined(), err: ""))
  }

  /// The article of 17:23 UTC belongs to the next day on Kiritimati, and to a morning in Los Angeles.
  @Test(arguments: [
    ("Pacific/Kiritimati", "2010-07-04", ["s"]), ("Pacific/Kiritimati", "2010-07-05", []),
    ("America/Los_Angeles", "2010-07-03", ["s"]), ("America/Los_Angeles", "2010-07-04", []),
  ]) func `a day begins at midnight in the local time zone`(zone: String, since: String, guids: [String])
    async throws
  {
    let result = try await newsimport.run(
      ["list", "world", "--since", since, "--fields", "guid"], variables: ["TZ": zone])
    #expect(result == .init(status: 0, out: guids.map { "\($0)\n" }.joined(), err: ""))
  }

  /// Forms of the variable that are not the name of a zone (POSIX.1-2024, 8.3).
  @Test(arguments: [
    ("UTC-2", "2010-02-03 19:23"), ("EST5", "2010-02-03 12:23"), ("<+03>-3", "2010-02-03 20:23"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2010-02-03 18:23"), (":America/New_York", "2010-02-03 12:23"),
    ("GMT+3", "2010-02-03 14:23"),
  ]) func `times are local, whatever the form of TZ`(zone: String, time: String) async throws {
    let variables = ["TZ": zone]
    let listed = try await newsimport.run(["list", "world"], variables: variables).out
    #expect(listed.contains("  \(time)  "), "\(listed)")
    let since = try await newsimport.run(
      ["list", "world", "--since", time, "--fields", "guid"], variables: variables)
    #expect(since.out == "s\nw\n")
  }

  /// The clocks of Berlin were set from 03:00 back to 02:00 on 2010-10-31, at 01:00 UTC, those of Amman from 01:00 to midnight on
  /// 2021-10-29, at 22:00 UTC of the day before.
  @Test(arguments: [
    ("Europe/Berlin", "2010-10-31 02:30", "Sun, 31 Oct 2010 00:30:00 GMT"),
    ("Asia/Amman", "2021-10-29", "Thu, 28 Oct 2021 21:00:00 GMT"),
    ("America/New_York", "2010-11-07 01:30", "Sun, 07 Nov 2010 05:30:00 GMT"),
  ]) func `a local time that occurs twice means the first`(zone: String, since: String, date: String)
    async throws
  {
    try await Self.fetch(["a": date], into: "twice", newsimport)
    let result = try await newsimport.run(
      ["list", "twice", "--since", since, "--fields", "guid"], variables: ["TZ": zone])
    #expect(result == .init(status: 0, out: "a\n", err: ""))
    let later = try await newsimport.run(
      [
        "list", "twice", "--since", since.count > 10 ? "\(since):01" : "\(since) 00:00:01", "--fields",
        "guid",
      ],
      variables: ["TZ": zone])
    #expect(later.out == "")
  }

  /// The clocks of Santiago were set from 00:00 to 01:00 on that day, at 04:00 UTC.
  @Test func `a day without a midnight begins at its first local time`() async throws {
    try await Self.fetch(
      ["before": "Sun, 08 Sep 2019 03:59:59 GMT", "after": "Sun, 08 Sep 2019 04:00:00 GMT"], into: "chile",
      newsimport)
    for (since, guids) in [
      ("2019-09-08", "after\n"), ("2019-09-08 00:00", "after\n"), ("2019-09-08 01:00", "after\n"),
      ("2019-09-08 00:30", ""), ("2019-09-07 23:59:59", "after\nbefore\n"),
    ] {
      let result = try await newsimport.run(
        ["list", "chile", "--since", since, "--fields", "guid"], variables: ["TZ": "America/Santiago"])
      #expect(result == .init(status: 0, out: guids, err: ""), "\(since)")
    }
  }

  @Test(arguments: [
    "2010-02-03 25:00", "2010-13-03 10:00", "10:00", "tomorrow", "5x", "2010-02-03 10",
  ])
  func `an invalid time is reported with the valid forms`(since: String) async throws {
    let result = try await newsimport("list", "world", "--since", since)
    #expect(result.status == 64)
    #expect(
      result.err.contains(
        "'\(since)' is not a time; write it like 12h, 1d, 2w, today, 2026-11-21 or \"2026-11-21 10:00\"; see "
      ))
  }

  @Test(arguments: ["2010-02-30", "2026-02-29", "2010-13-03"])
  func `a day that does not exist in its month is reported`(since: String) async throws {
    let result = try await newsimport("list", "world", "--since", since)
    #expect(result.status == 64)
    #expect(result.err.contains("'\(since)' is not a day of the calendar; write it like 12h,"))
  }
}
