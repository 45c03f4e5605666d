import Foundation
import LoopbackServer
import NewsConfiguration
import TestSupport
import Testing

@Suite struct ConfigCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Writes the file to its default path.
  @discardableResult
  private func configure(_ toml: String) throws -> String {
    try newsimport.folder.write(".config/newsimport/config.toml", toml.utf8)
  }

  private func secret(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let path = try newsimport.folder.write(name, text.utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  @Test func `config check prints the settings in force, and secrets only by their place`() async throws {
    let path = try configure(
      """
      contact = "me@example.org"
      [fetch]
      jobs = 16
      [region.tech]
      headers = { "X-Key" = "s3cret" }
      [region.world]
      interval = "30min"
      auth = { bearer_env = "HOME" }
      [[feed]]
      url = "https://a.example/feed"
      auth = { basic = { user = "u", password_file = "~/pw" } }
      """)
    _ = try secret("pw", "hunter2\n")
    #expect(
      try await newsimport("config", "check")
        == .init(
          status: 0,
          out: """
            configuration  \(path)  2 regions, 1 feed
              user_agent                    newsimport/\(Version.number) (mailto:me@example.org)
              fetch.jobs                    16
              fetch.per_host                4
              fetch.timeout                 1 min
              fetch.connect_timeout         10 s
              fetch.max_body                33,554,432 bytes
              fetch.public_only             false
              schedule.floor                1 h
              schedule.ceiling              1 d
              retention                     keeps all for ever
              region tech                   X-Key
              region world                  every 30 min, bearer (from HOME)
              feed https://a.example/feed   user u, password (from ~/pw)

            """, err: ""))
  }

  @Test func `a table that matches nothing in the store is marked`() async throws {
    try configure(
      """
      [region.world]
      interval = "1h"
      [region.wurld]
      [[feed]]
      url = "https://a.example/"
      [[feed]]
      url = "https://b.example"
      """)
    _ = try await newsimport("region", "add", "world", "https://u:pw@b.example/", "HTTPS://A.example/#x")
    let lines = try await newsimport("config", "check").out.split(separator: "\n").suffix(4)
    #expect(
      lines == [
        "  region world              every 1 h",
        "  region wurld              nothing set   (not in the store; did you mean world?)",
        "  feed https://a.example/   nothing set",
        "  feed https://b.example    nothing set   (not in the store)",
      ])
    let objects = try await newsimport("config", "check", "--json").out.split(separator: "\n").suffix(4)
    #expect(
      objects == [
        #"{"kind":"region","name":"world","value":"every 1 h","in_store":true,"suggestion":null}"#,
        #"{"kind":"region","name":"wurld","value":null,"in_store":false,"suggestion":"world"}"#,
        #"{"kind":"feed","name":"https://a.example/","value":null,"in_store":true,"suggestion":null}"#,
        #"{"kind":"feed","name":"https://b.example","value":null,"in_store":false,"suggestion":null}"#,
      ])
  }

  @Test func `a table that has only hooks is not empty`() async throws {
    try configure("[region.world]\non_new = [\"true\"]\n[region.worlds]\n")
    let lines = try await newsimport("config", "check").out.split(separator: "\n")
    let regions = lines.filter { $0.hasPrefix("  region ") }
    #expect(
      regions.count == 2 && regions[0].hasSuffix("  only hooks") && regions[1].hasSuffix("  nothing set"))
  }

  @Test func `a table of an unknown region is not an error, with or without a store`()
    async throws
  {
    try configure("[region.wurld]\n[region.later]\n")
    let alone = try await newsimport("config", "check")
    #expect(alone.status == 0 && alone.err == "" && !alone.out.contains("not in the store"))
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let checked = try await newsimport("config", "check")
    #expect(checked.status == 0 && checked.err == "")
    #expect(
      checked.out.hasSuffix(
        """
          region later            nothing set   (not in the store)
          region wurld            nothing set   (not in the store; did you mean world?)

        """))
  }

  @Test func `a missing file is an error only if it was named`() async throws {
    #expect(try await newsimport("config", "check").status == 0)
    let named = newsimport.folder.file("other.toml")
    #expect(
      try await newsimport("config", "check", "--config", named)
        == .init(status: 66, out: "", err: "newsimport: \(named): no such file\n"))
    #expect(try await newsimport("fetch", "--all", "--config", named).status == 66)
  }

  @Test func `a configuration error ends only the commands that read the file, with status 78`() async throws
  {
    let path = try configure("[fetch]\njbos = 3\n")
    let message = "newsimport: \(path): fetch.jbos: unknown key; did you mean jobs?\n"
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    for command in [["config", "check"], ["fetch", "--all"], ["parse", "http://127.0.0.1:1/"]] {
      #expect(try await newsimport.run(command) == .init(status: 78, out: "", err: message))
    }
    #expect(try await newsimport("region", "list").status == 0)
  }

  @Test(arguments: [
    ("hunter2", 0o644, "others may use the file (mode 644); chmod 600 it"),
    ("hunter2", 0o620, "others may use the file (mode 620); chmod 600 it"),
    ("", 0o600, "it is empty; write the secret there"),
  ]) func `a secret's file must be one line that only its owner can read`(
    text: String, mode: Int, cause: String
  )
    async throws
  {
    let file = try secret("pw", text, mode: mode)
    let path = try configure("[region.world]\nauth = { bearer_file = \"\(file)\" }")
    _ = try await newsimport("region", "add", "world", "http://127.0.0.1:1/feed")
    let message = "\(path): auth of region world: \(file): \(cause)\n"
    let checked = try await newsimport("config", "check")
    #expect(checked.status == 78 && checked.err == "newsimport: \(message)")
    // The settings in force are printed nevertheless.
    #expect(checked.out.contains("region world") && checked.out.hasPrefix("configuration  \(path)"))
    #expect(
      try await newsimport("fetch", "world")
        == .init(status: 69, out: "", err: "newsimport: http://127.0.0.1:1/feed: not polled: \(message)"))
  }

  @Test func `a missing secret does not prevent the poll of other feeds`() async throws {
    let server = try LoopbackHTTPServer { request in .ok(TestFeed.rss(count: 1, prefix: request.path)) }
    defer { server.stop() }
    let path = try configure(
      """
      [[feed]]
      url = "\(server.url("/closed"))"
      auth = { bearer_env = "MISSING_TOKEN" }
      [region.members]
      auth = { bearer_file = "nowhere" }
      """)
    _ = try await newsimport("region", "add", "world", server.url("/closed"), server.url("/open"))
    _ = try await newsimport("region", "add", "members", server.url("/1"), server.url("/2"))
    let run = try await newsimport("fetch", "world", "members")
    #expect(run.status == 1)
    #expect(run.out == "world   2 feeds   1 updated   1 new   1 failed\n")
    let lines = run.err.split(separator: "\n").map(String.init)
    try #require(lines.count == 2)
    #expect(
      lines[0]
        == "newsimport: \(server.url("/closed")): not polled: \(path): auth of feed \(server.url("/closed")): "
        + "the environment variable MISSING_TOKEN is not set; export it before the command")
    #expect(lines[1].hasPrefix("newsimport: 2 feeds: not polled: \(path): auth of region members: "))
    #expect(lines[1].contains("nowhere: no such file"))
    #expect(server.requests.map(\.path) == ["/open"])
    let json = try await newsimport("fetch", "world", "--json")
    #expect(json.out.split(separator: "\n").count == 2)
    #expect(json.out.contains("\"total_ms\":null,\"error\":\"\(path): auth of feed "))
  }

  @Test(arguments: ["hunter2\nhunter3", "hunter2\u{0}"])
  func `a secret of several lines is refused and not printed`(
    text: String
  ) async throws {
    let file = try secret("pw", text)
    try configure("[region.world]\nauth = { bearer_file = \"\(file)\" }")
    let result = try await newsimport("config", "check")
    #expect(result.status == 78)
    #expect(!result.err.contains("hunter"))
  }

  @Test func `a feed is polled with the settings of its regions and its own table`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.value(of: "Authorization") == nil && request.path == "/closed"
        ? .status(401, "Unauthorized") : .ok(TestFeed.rss(count: 1, prefix: request.path))
    }
    defer { server.stop() }
    let file = try secret("token", "t0ken\r\n")
    try configure(
      """
      contact = "https://example.org/bot"
      [region.world]
      interval = "30min"
      headers = { "X-Key" = { file = "\(file)" } }
      [region.tech]
      interval = "2h"
      [[feed]]
      url = "\(server.url("/closed"))"
      user_agent = "mine/2"
      auth = { basic = { user = "u", password_file = "\(file)" } }
      """)
    _ = try await newsimport("region", "add", "world", server.url("/open"), server.url("/closed"))
    _ = try await newsimport("region", "add", "tech", server.url("/open"))
    let result = try await newsimport("fetch", "tech", "world", "--json")
    #expect(result.status == 0)
    #expect(result.out.split(separator: "\n").allSatisfy { $0.contains("every 30 min, as configured") })
    #expect(!(result.out + result.err).contains("t0ken"))
    let open = try #require(server.requests.first { $0.path == "/open" })
    let closed = try #require(server.requests.first { $0.path == "/closed" })
    #expect(open.text(of: "User-Agent") == "newsimport/\(Version.number) (+https://example.org/bot)")
    #expect(open.text(of: "X-Key") == "t0ken" && open.value(of: "Authorization") == nil)
    #expect(closed.text(of: "User-Agent") == "mine/2")
    #expect(closed.text(of: "X-Key") == "t0ken")
    #expect(closed.text(of: "Authorization") == "Basic dTp0MGtlbg==")
    let stored = try Data(contentsOf: URL(fileURLWithPath: newsimport.store))
    #expect(stored.range(of: Data("t0ken".utf8)) == nil && stored.range(of: Data("dTp0MGtlbg".utf8)) == nil)
  }

  @Test func `regions with conflicting settings are named, and no feed is polled`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let path = try configure(
      "[region.a]\nheaders = { X-Key = \"1\" }\n[region.b]\nheaders = { x-key = \"2\" }\n")
    _ = try await newsimport("region", "add", "a", server.url("/"))
    #expect(try await newsimport("fetch", "a").status == 0)
    _ = try await newsimport("region", "add", "b", server.url("/"))
    for command in [["fetch", "a"], ["config", "check"]] {
      #expect(
        try await newsimport.run(command)
          == .init(
            status: 78, out: "",
            err: """
              newsimport: \(path): region.b.headers.X-Key: differs from region.a.headers.X-Key, and \
              \(server.url("/")) is in both; give it a [[feed]] table of its own with the value

              """))
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a pipe is refused as a secret's file without waiting for it`() async throws {
    let pipe = newsimport.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    try configure("[region.world]\nauth = { bearer_file = \"\(pipe)\" }\n")
    let result = try await newsimport("config", "check")
    #expect(result.status == 78 && result.err.contains("\(pipe): not a regular file"))
  }

  @Test(arguments: [
    ("max_body = \"1TiB\"", nil), ("timeout = \"2min\"", nil),
    (
      "timeout = nan",
      "a value of type floating-point number does not fit; it is a time such as 60 (seconds) or \"2min\""
    ),
    (
      "timeout = inf",
      "a value of type floating-point number does not fit; it is a time such as 60 (seconds) or \"2min\""
    ),
  ]) func `a limit outside its range is refused with the reason`(line: String, cause: String?) async throws {
    try configure("[fetch]\n\(line)\n")
    let result = try await newsimport("config", "check")
    #expect(result.status == (cause == nil ? 0 : 78))
    if let cause { #expect(result.err.hasSuffix(": \(cause)\n"), "\(result.err)") }
  }

  @Test func `options of the command line override the file`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 2)) }
    defer { server.stop() }
    try configure("[fetch]\nmax_body = 10\n")
    _ = try await newsimport("region", "add", "world", server.url("/"))
    let limited = try await newsimport("fetch", "world", "-q")
    #expect(limited.err.contains("body too large: over the limit of 10 bytes"))
    #expect(limited.err.hasSuffix("; --max-body, or max_body in the configuration, allows more\n"))
    #expect(try await newsimport("fetch", "world", "-q", "--max-body", "1MiB").status == 0)
    try configure("[fetch]\npublic_only = true\n")
    #expect(try await newsimport("fetch", "world", "-q").err.contains("is not public"))
  }
}
