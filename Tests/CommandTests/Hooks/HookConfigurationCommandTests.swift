import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What `config check` and `hooks status` say about hooks.
@Suite struct HookConfigurationCommandTests {
  private let newsimport: CommandRun

  init() throws { newsimport = try CommandRun() }

  @discardableResult
  private func configure(_ toml: String) throws -> String {
    try newsimport.folder.write(".config/newsimport/config.toml", toml.utf8)
  }

  @Test func `config check lists hooks, and marks a region or a feed that is not in the store`() async throws
  {
    try configure(
      """
      [region.world]
      on_new = ["true", "a b"]
      hook_batch = 100
      hook_timeout = "5min"
      [region.wurld]
      on_edited = ["/bin/sh"]
      [[feed]]
      url = "https://b.example/"
      on_new = ["true"]
      """)
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let checked = try await newsimport("config", "check")
    #expect(checked.status == 0 && checked.err == "", "\(checked)")
    #expect(
      checked.out.split(separator: "\n").suffix(3).map(String.init) == [
        "  hook feed.https://b.example/.on_new   true, at most 1 min   (not in the store)",
        "  hook region.world.on_new              true 'a b', 100 articles at once, at most 5 min",
        "  hook region.wurld.on_edited           /bin/sh, at most 1 min   (not in the store; did you mean world?)",
      ], "\(checked.out)")
    #expect(
      try await newsimport("config", "check", "--json").out.split(separator: "\n").last
        == #"{"kind":"hook","name":"region.wurld.on_edited","value":"/bin/sh, at most 1 min","in_store":false,"suggestion":"world","problem":null}"#
    )
  }

  @Test
  func
    `a program that is not found, and unknown names in the query of a hook are errors of the configuration`()
    async throws
  {
    let path = try configure(
      """
      [query.x]
      regions = ["wurld"]
      on_new = ["true"]
      [query.y]
      feeds = ["https://nowhere.example/"]
      on_new = ["true"]
      [region.world]
      on_new = ["archive-it-nowhere"]
      on_edited = ["/etc/passwd"]
      """)
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let checked = try await newsimport("config", "check")
    #expect(checked.status == 78)
    #expect(
      checked.err == """
        newsimport: \(path): query.x.on_new: @x: wurld: no such region; did you mean world?
        newsimport: \(path): query.y.on_new: @y: https://nowhere.example/: no such feed; newsimport feed list shows all
        newsimport: \(path): region.world.on_edited: /etc/passwd: cannot be started: Permission denied
        newsimport: \(path): region.world.on_new: archive-it-nowhere: no such program

        """, "\(checked.err)")
    #expect(
      checked.out.hasSuffix("archive-it-nowhere, at most 1 min   (archive-it-nowhere: no such program)\n"),
      "\(checked.out)")
    let status = try await newsimport("hooks", "status", "query.x.on_new")
    #expect(status == .init(status: 0, out: "query.x.on_new   0 waiting\n", err: ""))
  }

  @Test func `hooks status shows why it is not known what waits`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.write("[query.x]\nregions = [\"world\"]\non_new = [\"true\"]\n")
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    try test.write("[query.x]\nregions = [\"wurld\"]\non_new = [\"true\"]\n")
    let cause = "@x: wurld: no such region; did you mean world?"
    #expect(
      try await test.fetch() == .init(status: 1, out: "", err: "newsimport: hook query.x.on_new: \(cause)\n"))
    #expect(
      try await test.newsimport("hooks", "status")
        == .init(status: 0, out: "query.x.on_new   unknown what waits   \(cause)\n", err: ""))
    let json = try await test.newsimport("hooks", "status", "--json").out
    #expect(json.contains("\"waiting\":null") && json.contains("\"error\":\"\(cause)\""), "\(json)")
  }

  @Test func `hooks status counts changes that another program has made with SQL`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("true", key: "on_edited")
    _ = try await test.fetch()
    try await test.edit("UPDATE article SET title = 'Corrected' WHERE id = 1")
    #expect(try await test.newsimport("hooks", "status").out == "region.world.on_edited   1 waiting\n")
  }
}
