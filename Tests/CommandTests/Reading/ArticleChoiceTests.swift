import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The options that choose articles mean the same in every command.
@Suite struct ArticleChoiceTests {
  private let newsimport: CommandRun
  private let config: String

  init() async throws {
    newsimport = try await Self.library.copy()
    config = newsimport.folder.file("config.toml")
  }

  /// Two regions, `sea` with the feed `/sea` and `land` with `/land`, and the feed `/both` in both. A read, a starred, an
  /// edited and an attached article.
  private static let library = StoreFixture { newsimport in
    let isSecond = Counter()
    let server = try LoopbackHTTPServer { request in
      let name = String(request.path.dropFirst())
      let text = name == "land" && isSecond.value > 0 ? "hills, edited" : "about \(name)"
      let file = name == "both" ? "<enclosure url='https://e.org/1.mp3' type='audio/mpeg' length='1'/>" : ""
      let items = [("new", "Tue, 03 Mar 2026 10:00:00 GMT"), ("old", "Tue, 03 Feb 2026 10:00:00 GMT")].map {
        "<item><guid isPermaLink='false'>\(name)-\($0)</guid><title>\(name) \($0)</title><pubDate>\($1)</pubDate>"
          + "<description>\(text)</description>\($0 == "new" ? file : "")</item>"
      }
      return .ok("<rss version='2.0'><channel><title>\(name)</title>\(items.joined())</channel></rss>")
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "sea", server.url("/sea"), server.url("/both"))
    _ = try await newsimport("region", "add", "land", server.url("/land"), server.url("/both"))
    _ = try await newsimport("fetch", "--all", "-q")
    isSecond.increment()
    _ = try await newsimport("fetch", "--all", "-q")
    _ = try await newsimport("mark", "read", try await number(of: "sea new", newsimport))
    _ = try await newsimport("mark", "starred", try await number(of: "sea old", newsimport))
  }

  private static func number(of title: String, _ newsimport: CommandRun) async throws -> String {
    let rows = try await newsimport("sql", "SELECT id FROM articles WHERE title = '\(title)'")
    return try #require(rows.out.split(separator: "\n").last.map(String.init))
  }

  private func titles(_ arguments: [String]) async throws -> [String] {
    let result = try await newsimport.run(
      ["list"] + arguments + ["--fields", "title"], variables: ["NEWSIMPORT_CONFIG": config])
    #expect(result.status == 0, "\(result.err)")
    return result.out.split(separator: "\n").map(String.init)
  }

  private func configure(_ text: String) throws {
    try text.write(toFile: config, atomically: true, encoding: .utf8)
  }

  private static let all = ["both new", "both old", "land new", "land old", "sea new", "sea old"]

  @Test(
    arguments: [
      ([], all), (["--all"], all), (["sea"], ["both new", "both old", "sea new", "sea old"]),
      (["sea", "land"], all), (["--feed", "/land"], ["land new", "land old"]),
      (["sea", "--feed", "/both", "--feed", "/land"], ["both new", "both old"]),
      (["--since", "2026-03-01"], ["both new", "land new", "sea new"]),
      (["--until", "2026-03-01"], ["both old", "land old", "sea old"]),
      (["--since", "2026-02-01", "--until", "2026-02-02"], []), (["--imported-since", "1d"], all),
      (["--imported-since", "2100-01-01"], []), (["--read"], ["sea new"]),
      (["--unread"], all.filter { $0 != "sea new" }), (["--starred"], ["sea old"]),
      (["--edited"], ["land new", "land old"]), (["--with-attachment"], ["both new"]),
      (["--match", "hills"], ["land new", "land old"]),
      (["--match", "about -land", "--since", "2026-03-01"], ["both new", "sea new"]),
      (["sea", "--match", "title:new"], ["both new", "sea new"]),
      (["--limit", "2", "--feed", "/sea"], ["sea new", "sea old"]),
      (["--match", "nowhere"], []),
    ] as [([String], [String])])
  func `list prints the chosen articles`(arguments: [String], expected: [String]) async throws {
    try configure("")
    #expect(try await titles(arguments).sorted() == expected)
  }

  @Test func `articles of the last imports are found beside later rows of an older import`() async throws {
    try configure("")
    let lines = (1...1200).map { "{\"guid\":\"\($0)\",\"feed\":\"file:x\",\"title\":\"\($0)\"}\n" }
    let imported = try await newsimport("import", "-", input: lines.joined())
    #expect(imported.status == 0, "\(imported)")
    try newsimport.execute(
      "UPDATE article SET imported = 1577836800, timeline = 1577836800 WHERE feed_id = (SELECT max(id) FROM feed)"
    )
    #expect(try await titles(["--imported-since", "1d"]).sorted() == Self.all)
    #expect(try await titles(["--imported-since", "2019-01-01"]).count == Self.all.count + 1200)
  }

  @Test func `a query of the configuration is a choice wherever a region is`() async throws {
    try configure(
      """
      [query.files]
      with_attachment = true
      [query.land]
      regions = ["land"]
      match = "hills"
      since = "2026-03-01"
      [query.newest]
      limit = 1
      feeds = ["/sea"]
      """)
    #expect(try await titles(["@files"]) == ["both new"])
    #expect(try await titles(["@land"]) == ["land new"])
    #expect(try await titles(["@files", "@land", "--unread"]).sorted() == ["both new", "land new"])
    #expect(
      try await titles(["@files", "@land", "sea", "--until", "2026-03-01"]).sorted() == [
        "both old", "sea old",
      ])
    #expect(try await titles(["@newest"]) == ["sea new"])
    let feed = try await newsimport.run(
      ["export", "@land", "--format", "rss"], variables: ["NEWSIMPORT_CONFIG": config])
    #expect(
      feed.status == 0 && feed.out.contains("<title>@land</title>") && feed.out.contains("<title>land new"))
    #expect(!feed.out.contains("both new"))
    let found = try await newsimport.run(
      ["search", "new", "--region", "@files", "--region", "@land", "--fields", "title"],
      variables: ["NEWSIMPORT_CONFIG": config])
    #expect(found.out.split(separator: "\n").sorted() == ["both new", "land new"])
    let check = try await newsimport("config", "check", "--config", config)
    #expect(check.out.contains("0 regions, 0 feeds, 3 queries") && check.out.contains("query files"))
    #expect(check.out.contains("land, since 2026-03-01, with the words hills"))
  }

  @Test func `a query may choose no article`() async throws {
    try configure("[query.none]\nmatch = \"nowhere\"\n")
    let result = try await newsimport.run(["list", "@none"], variables: ["NEWSIMPORT_CONFIG": config])
    #expect(result == .init(status: 0, out: "", err: "no articles.   Next: newsimport list\n"))
  }

  @Test(arguments: [
    (
      "[query.a]\nregions = [\"@b\"]\n[query.b]",
      "query.a.regions: '@b' is a query; write its conditions here"
    ),
    ("[query.a]\nregions = [\"\"]", "query.a.regions: a name is empty"),
    ("[query.a]\nsince = \"soon\"", "query.a.since: 'soon' is not a time"),
    ("[query.a]\nsince = \"1d\"\nuntil = \"2d\"", "query.a.until: it is not later than since"),
    ("[query.a]\nread = true\nunread = true", "query.a.unread: no article is both read and unread"),
    ("[query.a]\nmatch = \"(\"", "query.a.match: "),
    ("[query.a]\nlimit = 0", "query.a.limit: 0 is not a number"),
    ("[query.a]\nregion = \"x\"", "query.a.region: unknown key; did you mean regions?"),
  ])
  func `a mistake in a query is reported`(text: String, message: String) async throws {
    try configure(text)
    let result = try await newsimport.run(["list", "@a"], variables: ["NEWSIMPORT_CONFIG": config])
    #expect(result.status == 78 && result.out == "" && result.err.contains(message), "\(result.err)")
  }

  @Test func `the limit of a query holds beside another source`() async throws {
    try configure(
      """
      [query.newest]
      feeds = ["/land"]
      limit = 1
      """)
    let sea = try await newsimport("list", "sea", "--fields", "title").out.split(separator: "\n").count
    for (names, count) in [(["@newest"], 1), (["@newest", "sea"], sea + 1)] {
      let list = try await newsimport.run(
        ["list"] + names + ["--copies", "--fields", "title"], variables: ["NEWSIMPORT_CONFIG": config])
      #expect(list.out.split(separator: "\n").count == count, "\(names): \(list)")
    }
  }

  @Test func `a mistake in a query that only the store shows names the query`() async throws {
    try configure(
      "[query.e]\nregions = [\"lnad\"]\n[query.f]\nfeeds = [\"nowhere\"]\n[query.n]\nmatch = \"x\""
    )
    func configured(_ arguments: String...) async throws -> CommandRun.Result {
      try await newsimport.run(arguments, variables: ["NEWSIMPORT_CONFIG": config])
    }
    let region = try await configured("list", "@e")
    #expect(
      region.status == 66 && region.err == "newsimport: @e: lnad: no such region; did you mean land?\n",
      "\(region.err)")
    #expect(try await configured("list", "@f").err.hasPrefix("newsimport: @f: nowhere: no such feed"))
    let stats = try await configured("stats", "@n")
    #expect(
      stats.status == 64
        && stats.err
          == "newsimport: @n: the query chooses some of the articles of its feeds; stats counts the articles of whole feeds\n",
      "\(stats.err)")
    let check = try await configured("config", "check")
    #expect(
      check.status == 0
        && check.out.contains("  query e                 lnad   (not in the store; did you mean land?)\n"),
      "\(check.out)")
    let json = try await configured("config", "check", "--json")
    #expect(
      json.out.contains(
        "\"kind\":\"query\",\"name\":\"e\",\"value\":\"lnad\",\"in_store\":false,\"suggestion\":\"land\"}"),
      "\(json.out)")
  }

  @Test func `an unknown query is suggested, and without queries the table is named`() async throws {
    try configure("[query.podcasts]")
    let near = try await newsimport.run(["list", "@podcast"], variables: ["NEWSIMPORT_CONFIG": config])
    let mark = try await newsimport("mark", "read", "@podcasts")
    #expect(
      mark.err
        == "newsimport: choose the articles of a query with --region @podcasts; see newsimport mark --help\n")
    #expect(near.status == 66 && near.err == "newsimport: @podcast: no such query; did you mean @podcasts?\n")
    try configure("")
    let none = try await newsimport.run(["list", "@a"], variables: ["NEWSIMPORT_CONFIG": config])
    #expect(
      none.status == 66
        && none.err == "newsimport: @a: no such query; a table [query.a] in \(config) makes one\n")
  }

  @Test func `mark, search and stats take the same options`() async throws {
    try configure("")
    let marked = try await newsimport("mark", "read", "--feed", "/land", "--match", "hills", "--limit", "1")
    #expect(marked.status == 0 && marked.out.hasPrefix("marked  1 article read."))
    #expect(try await titles(["--read"]).sorted() == ["land new", "sea new"])
    let again = try await newsimport("mark", "unread", "--all")
    #expect(again.out.hasPrefix("marked  2 articles unread, 4 already were."))
    let found = try await newsimport(
      "search", "new", "--with-attachment", "--until", "2026-04-01", "--fields", "title")
    #expect(found.out == "both new\n")
    let stats = try await newsimport("stats", "--by", "feed", "--feed", "/sea", "--json")
    #expect(stats.out.split(separator: "\n").count == 1 && stats.out.contains("/sea\""))
    let regions = try await newsimport("stats", "--feed", "/land", "--json")
    #expect(
      regions.out.hasPrefix(#"{"region":"land","feeds":1,"#) && regions.out.split(separator: "\n").count == 1)
  }

  private static let archive = ["archive", "--before", "1d", "--to", "old.sqlite"]

  @Test(arguments: [
    (
      ["list", "sea", "--all"],
      "name regions and queries, or give --all, not both; see newsimport list --help"
    ),
    (["list", "--read", "--unread"], "give --unread or --read, not both; see newsimport list --help"),
    (["stats", "--unread"], "unknown option '--unread'; see newsimport stats --help"),
    (["stats", "--limit", "3"], "unknown option '--limit'; see newsimport stats --help"),
    (["watch", "--limit", "3"], "unknown option '--limit'; see newsimport watch --help"),
    (["watch", "--until", "1d"], "unknown option '--until'; see newsimport watch --help"),
    (["search", "x", "--match", "y"], "unknown option '--match'"),
    (archive + ["--until", "1d"], "unknown option '--until'; see newsimport archive --help"),
    (archive + ["--starred"], "unknown option '--starred'"),
    (archive + ["--copies"], "unknown option '--copies'"),
    (
      ["mark", "read"],
      "name articles by their numbers, or choose them with --region, --feed or another option"
    ),
    (["mark", "read", "--bogus", "1d", "--region", "world"], "unknown option '--bogus'"),
    (
      ["mark", "read", "1", "--starred"],
      "name articles by their numbers, or choose them with options, not both; "
    ),
  ])
  func `a wrong choice, or an option that a command does not have, is refused`(
    arguments: [String], message: String
  ) async throws {
    let result = try await newsimport.run(arguments)
    #expect(result.status == 64 && result.out == "" && result.err.contains(message), "\(result.err)")
  }

  @Test func `a name in the wrong place is reported`() async throws {
    for (arguments, message) in [
      (["list", "see"], "see: no such region; did you mean sea?"),
      (["list", "--feed", "nowhere.example"], "nowhere.example: no such feed"),
      (["list", "--match", "(("], "--match: "),
    ] {
      let result = try await newsimport.run(arguments)
      #expect(
        result.status == (message.hasPrefix("--") ? 64 : 66) && result.err.contains(message), "\(result.err)")
    }
  }
}
