import FeedImport
import Foundation
import TestSupport
import Testing

@testable import NewsCommand
@testable import NewsConfiguration
import TextOutput
import WebAddress

@Suite struct ConfigurationReadingTests {
  @Test func `an empty file sets nothing`() throws {
    #expect(try Configuration(toml: "") == Configuration())
    #expect(try Configuration(toml: "# a comment\n") == Configuration())
  }

  @Test func `every setting is read`() throws {
    let read = try Configuration(
      toml: """
        contact = "mailto:me@example.org"
        [fetch]
        jobs = 16
        per_host = 2
        timeout = "2min"
        connect_timeout = 5
        max_body = "8MiB"
        public_only = true
        [schedule]
        floor = "2h"
        ceiling = "3d"
        [retention]
        keep = "90d"
        keep_last = 500
        [region.world]
        interval = "30min"
        keep = "forever"
        user_agent = "reader/1"
        headers = { "X-Key" = "value", "X-Token" = { env = "TOKEN" }, "X-Other" = { file = "/other" } }
        auth = { basic = { user = "u", password_file = "/path" } }
        [region."two words".auth]
        bearer_env = "VAR"
        [[feed]]
        url = "https://a.example/feed"
        interval = "10min"
        [[feed]]
        url = "https://b.example/feed"
        auth.bearer_file = "/token"
        """)
    #expect(read.contact == "me@example.org")
    #expect(
      read.fetch
        == FetchSettings(
          jobs: 16, perHost: 2, timeout: 120, connectTimeout: 5, maxBody: 8 << 20, publicOnly: true))
    #expect(read.schedule == ScheduleSettings(floor: 7200, ceiling: 3 * 86400))
    #expect(read.retention == Retention(age: 90 * 86400, count: 500))
    #expect(
      read.regions == [
        "world": FeedSettings(
          interval: 1800, userAgent: "reader/1",
          headers: [
            ConfiguredHeader(name: "X-Key", value: .text("value")),
            ConfiguredHeader(name: "X-Other", value: .secret(.file("/other"))),
            ConfiguredHeader(name: "X-Token", value: .secret(.environment("TOKEN"))),
          ], credentials: .basic(user: "u", password: .file("/path")), retention: Retention(age: .infinity)),
        "two words": FeedSettings(credentials: .bearer(.environment("VAR"))),
      ])
    #expect(
      read.feeds == [
        "https://a.example/feed": FeedSettings(interval: 600),
        "https://b.example/feed": FeedSettings(credentials: .bearer(.file("/token"))),
      ])
  }

  @Test(arguments: [
    ("http://host.example/x", "HTTP://Host.example:80/x#frag", true),
    ("HTTP://Host.example/x#frag", "http://host.example/x", true),
    ("https://host.example", "https://host.example/", true),
    ("http://host.example/x", "http://u:pw@host.example/x", false),
    ("http://u@host.example/x", "http://u:pw@HOST.example/x", true),
    ("http://host.example/x", "https://host.example/x", false),
    ("http://host.example/x", "http://host.example/X", false),
  ])
  func `a feed's table is found however its address is written`(table: String, feed: String, isFound: Bool)
    throws
  {
    let read = try Configuration(toml: "[[feed]]\nurl = \"\(table)\"\ninterval = \"20min\"\n")
    #expect(try read.settings(ofFeed: WebAddress(feed), inRegions: []).interval == (isFound ? 1200 : nil))
  }

  @Test func `two tables of one feed are an error, however its address is written`() {
    let twice = ["http://a.example/x", "HTTP://a.example:80/x#y"].map { "[[feed]]\nurl = \"\($0)\"\n" }
      .joined()
    #expect(throws: ConfigurationError.self) { try Configuration(toml: twice) }
  }

  @Test func `the example is a valid configuration`() throws {
    let example = Repository.folder.appending(path: "Examples/config.toml")
    let text = try String(contentsOf: example, encoding: .utf8)
    #expect(try Configuration(toml: text).feeds.count == 1)
    // A line that is commented out shows the program's default and is a valid setting.
    var all = text.replacing("\n# jobs", with: "\njobs")
    for key in ["per_host", "timeout", "connect_timeout", "max_body", "public_only", "floor", "ceiling"] {
      all = all.replacing("\n# \(key)", with: "\n\(key)")
    }
    let set = try Configuration(toml: all)
    let own = ImportOptions(userAgent: "")
    #expect(
      set.fetch
        == FetchSettings(
          jobs: own.jobs, perHost: own.perHost, timeout: own.timeout, connectTimeout: own.connectTimeout,
          maxBody: own.maxBody, publicOnly: own.publicOnly))
    #expect(
      set.schedule == ScheduleSettings(floor: own.schedule.floor, ceiling: own.schedule.ceiling))
  }

  /// Each key of the tables, in a document with this key alone, and a value that is invalid for every key.
  private static let wrongValues = ConfigurationManual.tables(from: .document).flatMap { table in
    table.names.map { key in
      let head =
        switch table.title {
        case "[[feed]]" where key != "url": "[[feed]]\nurl = \"https://a.example/\""
        case let title where title.hasPrefix("["): title
        case let title where title.hasPrefix("headers"): "[region.x.headers.X-Key]"
        case let title where title.hasPrefix("auth.basic"): "[region.x.auth.basic]\nuser = \"u\""
        case let title where title.hasPrefix("auth"): "[region.x.auth]"
        default: ""
        }
      return (key, key == "user" ? "[region.x.auth.basic]\nuser = [1]" : "\(head)\n\(key) = [1]")
    }
  }

  @Test(arguments: wrongValues)
  func `each documented key is read`(key: String, toml: String) throws {
    do throws(ConfigurationError) {
      _ = try Configuration(toml: toml)
      Issue.record("nobody looked at \(key)")
    } catch {
      #expect(error.place?.hasSuffix(key) ?? false, "\(error)")
    }
  }

  @Test(arguments: [
    ("", "newsimport/\(Version.number)"),
    ("contact = \"me@example.org\"", "newsimport/\(Version.number) (mailto:me@example.org)"),
    ("contact = \"https://example.org/bot\"", "newsimport/\(Version.number) (+https://example.org/bot)"),
    ("contact = \"me@example.org\"\nuser_agent = \"mine/2\"", "mine/2"),
  ]) func `the user agent contains the version and the user's contact`(toml: String, userAgent: String) throws
  {
    #expect(try Configuration(toml: toml).effectiveUserAgent == userAgent)
  }

  @Test(
    arguments: [
      (
        "jobs = 3", "jobs",
        "unknown key; the keys are contact, user_agent, pager, fetch, schedule, retention, region, feed, query"
      ),
      ("[fetch]\njbos = 3", "fetch.jbos", "unknown key; did you mean jobs?"),
      ("[fetch]\nMaxBody = 3", "fetch.MaxBody", "unknown key; did you mean max_body?"),
      ("[fetsh]\njobs = 3", "fetsh", "unknown key; did you mean fetch?"),
      ("[fetch]\njobs = \"many\"", "fetch.jobs", "this text does not fit; it is a number from 1 to 1024"),
      ("[fetch]\njobs = 0", "fetch.jobs", "0 is not a number from 1 to 1024"),
      ("[fetch]\nper_host = 65", "fetch.per_host", "65 is not a number from 1 to 64"),
      (
        "[fetch]\npublic_only = 1", "fetch.public_only",
        "a value of type integer does not fit; it is true or false"
      ),
      ("[fetch]\ntimeout = 0", "fetch.timeout", "0 s is out of range; it must be from 0.001 s to 1 d"),
      (
        "[fetch]\nmax_body = \"big\"", "fetch.max_body",
        "this text does not fit; it is a size from 1 byte to 1 TiB, such as \"32MiB\""
      ),
      ("fetch = 1", "fetch", "a value of type integer does not fit; it is a table"),
      (
        "[schedule]\nfloor = \"2d\"", "schedule.floor",
        "the floor (2 d) is above the default ceiling (1 d); set a ceiling, too"
      ),
      (
        "[region.a]\ninterval = \"9min\"", "region.a.interval",
        "9 min is out of range; it must be from 10 min to 365 d"
      ),
      (
        "[region.a]\ninterval = 30", "region.a.interval",
        "a value of type integer does not fit; it is a duration such as \"30min\", \"1h\" or \"1d\""
      ),
      ("[[feed]]\ninterval = \"1h\"", "feed number 1.url", "missing; it names the feed of the table"),
      (
        "[[feed]]\nurl = \"http://a/\"\n[[feed]]\nurl = \"http://a/\"", "feed number 2.url",
        "http://a/ has a table already; put both into one"
      ),
      (
        "[[feed]]\nurl = \"http://a/\"\nuser_agent = \"\"", "feed http://a/.user_agent",
        "it cannot be sent; write one line of text"
      ),
      ("[feed]\nurl = \"http://a/\"", "feed", "a value of type table does not fit; it is written [[feed]]"),
      ("feed = [1]", "feed", "a value of type array does not fit; it is written [[feed]]"),
      (
        "contact = \"me\"", "contact",
        "not a way to reach you; write a mail address, or the address of a page (http:// or https://)"
      ),
      ("user_agent = \"a\\nX-Injected: 1\"", "user_agent", "it cannot be sent; write one line of text"),
      (
        "[region.a.headers]\n\"X A\" = \"1\"", "region.a.headers.X A",
        "not the name of a header field; use letters, digits and hyphens"
      ),
      (
        "[region.a.headers]\nX-A = \"1\\r\\nX-B: 2\"", "region.a.headers.X-A",
        "the value cannot be sent; write one line of text"
      ),
      (
        "[region.a.headers]\nX-A = \"1\"\nx-a = \"2\"", "region.a.headers.x-a",
        "set twice; upper and lower case are the same in names of header fields"
      ),
      (
        "[region.a.headers]\nhost = \"b\"", "region.a.headers.host",
        "the program sets this field itself; remove it"
      ),
      ("[region.a.headers]\nUser-Agent = \"b\"", "region.a.headers.User-Agent", "use user_agent = \"…\""),
      (
        "[region.a.headers]\nX-A = {}", "region.a.headers.X-A",
        "write its value, or the location of a secret: { file = \"/path\" } or { env = \"VAR\" }"
      ),
      (
        "[region.a.auth.basic]\npassword_env = \"P\"", "region.a.auth.basic.user",
        "missing; it is the user's name at the server"
      ),
      (
        "[region.a.auth.basic]\nuser = \"u\"", "region.a.auth.basic",
        "the password is missing; give it password_file = \"/path\" or password_env = \"VAR\""
      ),
      (
        "[region.a.auth.basic]\nuser = \"u\"\npassword_env = \"P\"\npassword_file = \"/p\"",
        "region.a.auth.basic", "password_file or password_env, not both; remove one"
      ),
      (
        "\n" + String(repeating: "a.", count: 100_000) + "a = 1", "line 2",
        "more than 200 dots; no key has so many parts"
      ),
      (
        "a = 1\nb =\n", "line 2, column 4",
        "this is not valid TOML; correct it, as in the examples of newsimport.toml(5)"
      ),
      (
        "a = 1\na = 2", "line 2, column 5",
        "this is not valid TOML; correct it, as in the examples of newsimport.toml(5)"
      ),
      ("a = \"\u{0}\"", nil, nil),
    ] as [(String, String?, String?)])
  func `an error is reported with its place and a fix`(toml: String, place: String?, cause: String?) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.place == place)
    if let cause { #expect(error?.cause == cause) }
  }

  @Test(arguments: [
    "[region.a.auth.basic]\nuser = \"u\"\npassword = \"hunter2\"", "[region.a.auth]\nbearer = \"hunter2\"",
    "[region.a.headers]\nAuthorization = \"Bearer hunter2\"", "[[feed]]\nurl = \"http://u:hunter2@a/\"",
    "[region.a]\ninterval = \"hunter2\"", "[region.a.auth.basic]\nuser = \"u\"\npassword = hunter2",
    "[region.a.auth.basic]\nuser = \"u\"\npassword_file = 123456789012345678901234",
    "[region.a.auth]\nbasic = \"hunter2\"", "contact = \"http://u:hunter2@a/\"",
    "[region.a.auth]\nbearer_env = [\"hunter2\"]",
  ]) func `a secret in the file is refused and not printed`(toml: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    let shown = "\(error?.place ?? "") \(error?.cause ?? "")"
    #expect(!shown.contains("hunter2") && !shown.contains("1234567"))
  }

  @Test(
    arguments: [
      ("90s", 90), ("30min", 1800), ("30m", 1800), ("1h", 3600), ("1 d", 86400), ("2w", 1_209_600),
      ("30", nil),
      ("h", nil), ("", nil), ("1y", 31_536_000), ("3 years", 94_608_000),
      ("99999999y", nil), ("-1h", nil), ("1.5h", nil), ("9999999999h", nil), ("١h", nil),
    ] as [(String, TimeInterval?)]) func `a duration has a number and a unit`(
      text: String, expected: TimeInterval?
    )
  {
    #expect(seconds(ofDuration: text) == expected)
  }

  @Test(
    arguments: [
      ("jbos", "jobs"), ("JOBS", "jobs"), ("job", "jobs"), ("perhost", "per_host"), ("timeuot", "timeout"),
      ("colour", nil), ("", nil), (String(repeating: "jobs", count: 1000), nil),
    ] as [(String, String?)]) func `a similar word is suggested`(word: String, meant: String?)
  {
    #expect(nearestWord(to: word, among: ["jobs", "per_host", "timeout"]) == meant)
  }
}
