import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Articles that wait for a hook reach it, even if they, their feed or its regions change in the meantime.
@Suite struct HookPlaceTests {
  private static let count = 28

  /// A hook that was put off after 20 failures, while 8 articles wait.
  private func waiting(table: String? = nil) async throws -> HookRunTests {
    let test = try await HookRunTests()
    try test.configure("exit 1", table: table ?? "region.world")
    _ = try await test.fetch()
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ferry \($0)" })
    #expect(try await test.fetch().status == 1)
    return test
  }

  /// Lets the command work again, and returns the number of different articles that it gets.
  private func delivered(_ test: HookRunTests, table: String? = nil) async throws -> Int {
    try test.configure("cat >> '\(test.log)'", table: table ?? "region.world")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    return Set(try test.objects().map { $0["event"] as? String }).count
  }

  private func feedTable(_ test: HookRunTests, _ address: String, _ command: String) throws {
    let path = try test.script("feed-hook.sh", command)
    try test.write("[[feed]]\nurl = \"\(address)\"\non_new = [\"/bin/sh\", \"\(path)\"]\n")
  }

  private func status(_ test: HookRunTests) async throws -> [String] {
    try await test.newsimport("hooks", "status", "--json").out.split(separator: "\n").map { line in
      let json = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return "\(json["hook"] ?? "") \(json["waiting"] ?? "") \(json["failing"] ?? "")"
    }
  }

  /// Moves the feed from the region world to another one.
  private func moveFeed(_ test: HookRunTests) async throws {
    #expect(try await test.newsimport("region", "add", "other", test.feed).status == 0)
    #expect(try await test.newsimport("feed", "remove", test.feed, "--region", "world").status == 0)
  }

  @Test func `a feed that moves to another region leaves its waiting articles to the hook`() async throws {
    let test = try await waiting()
    defer { test.server.stop() }
    try await moveFeed(test)
    #expect(try await status(test) == ["region.world.on_new 8 20"])
    #expect(try await delivered(test) == Self.count)
    #expect(try await status(test) == ["region.world.on_new 0 0"])
  }

  @Test func `a run that is killed between storing what waits and its position loses nothing`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("exit 1")
    _ = try await test.fetch()
    try await test.edit("CREATE TABLE before AS SELECT * FROM persistent_consumer")
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ferry \($0)" })
    #expect(try await test.fetch().status == 1)
    // The state at the kill: what waits is stored, and the consumer is where it was.
    try await test.edit(
      "DELETE FROM persistent_consumer; INSERT INTO persistent_consumer SELECT * FROM before; DROP TABLE before"
    )
    #expect(try await delivered(test) == Self.count)
    #expect(try await status(test) == ["region.world.on_new 0 0"])
  }

  @Test func `articles that were deleted do not wait for a hook`() async throws {
    let test = try await waiting()
    defer { test.server.stop() }
    try await moveFeed(test)
    #expect(try await test.newsimport("feed", "remove", test.feed, "--yes").status == 0)
    #expect(try await status(test) == ["region.world.on_new 0 0"])
  }

  @Test func `a region that is removed leaves its waiting articles to the hook`() async throws {
    let test = try await waiting()
    defer { test.server.stop() }
    #expect(try await test.newsimport("region", "remove", "world", "--yes").status == 0)
    _ = try await test.newsimport("region", "add", "world", test.feed)
    #expect(try await delivered(test) == Self.count)
  }

  @Test func `articles that a killed run left in the history are the hook's before their feed moves`()
    async throws
  {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("cat >> '\(test.log)'")
    _ = try await test.fetch()
    let table = try String(
      contentsOfFile: test.newsimport.folder.file(".config/newsimport/config.toml"), encoding: .utf8)
    try test.write("")
    test.publish(["One", "Two", "Three"])
    _ = try await test.fetch()
    try test.write(table)
    try await moveFeed(test)
    #expect(try await status(test) == ["region.world.on_new 1 0"])
    #expect(try await test.newsimport("hooks", "run").status == 0)
    #expect(try test.objects().map { $0["title"] as? String } == ["Three"])
  }

  @Test(arguments: [false, true])
  func `the hook of a feed follows it to a new address`(isConfigured: Bool) async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try feedTable(test, test.feed, "exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ferry \($0)" })
    #expect(try await test.fetch().status == 1)
    let moved = test.server.url("/moved")
    #expect(try await test.newsimport("feed", "rename", test.feed, moved).status == 0)
    try feedTable(test, isConfigured ? moved : test.feed, "cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run", "--retry").status == 0)
    // A new article still belongs to the hook.
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ferry \($0)" } + ["New"])
    #expect(try await test.fetch().status == 0)
    #expect(try await test.newsimport("hooks", "run", "--retry").status == 0)
    #expect(Set(try test.objects().map { $0["event"] as? String }).count == Self.count + 1)
    #expect(try await status(test) == ["feed.\(isConfigured ? moved : test.feed).on_new 0 0"])
  }

  @Test func `a feed that is merged with another one passes its waiting articles on`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    let other = test.server.url("/other")
    _ = try await test.newsimport("region", "add", "world", other)
    _ = try await test.fetch()
    try feedTable(test, test.feed, "exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ferry \($0)" })
    #expect(try await test.fetch().status == 1)
    // Both feeds have the same articles, so those of the first one are deleted.
    #expect(try await test.newsimport("feed", "rename", test.feed, other, "--yes").status == 0)
    try feedTable(test, other, "cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    let titles = try test.objects().compactMap { $0["title"] as? String }
    #expect(Set(titles) == Set((0..<Self.count).map { "Ferry \($0)" }))
    #expect(try await status(test) == ["feed.\(other).on_new 0 0"])
  }

  @Test func `an article that a query no longer finds still reaches its hook`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    func configure(_ script: String) throws {
      let path = try test.script("hook.sh", script)
      try test.write("[query.harbour]\nmatch = \"ferry\"\non_new = [\"/bin/sh\", \"\(path)\"]\n")
    }
    try configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ferry \($0)" })
    #expect(try await test.fetch().status == 1)
    test.publish(["One", "Two"] + (0..<Self.count).map { "Ship \($0)" })
    _ = try await test.fetch()
    try configure("cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    #expect(Set(try test.objects().map { $0["event"] as? String }).count == Self.count)
  }

  @Test func `a run says how many waiting articles were deleted before it`() async throws {
    let test = try await waiting()
    defer { test.server.stop() }
    #expect(try await test.newsimport("feed", "remove", test.feed, "--yes").status == 0)
    try test.configure("cat >> '\(test.log)'")
    #expect(
      try await test.newsimport("hooks", "run", "--retry")
        == .init(
          status: 0, out: "",
          err:
            "newsimport: hook region.world.on_new: 28 articles were deleted before the command handled them\n"
        ))
    #expect(try await status(test) == ["region.world.on_new 0 0"])
  }

  @Test func `articles that wait are passed over only if the user says so`() async throws {
    let test = try await waiting()
    defer { test.server.stop() }
    #expect(
      try await test.newsimport("hooks", "skip", "region.world.on_new").out
        == "region.world.on_new: 20 failing articles dropped\n")
    #expect(try await status(test) == ["region.world.on_new 8 0"])
    _ = try await test.newsimport("hooks", "run", "--since", "now", "region.world.on_new")
    #expect(try await status(test) == ["region.world.on_new 0 0"])
  }

  @Test func `waiting articles are passed in batches, in the order of their changes`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.write("[region.world]\non_new = [\"/nowhere/program\"]\n")
    _ = try await test.fetch()
    for end in [5, 9, 12] {
      test.publish(["One", "Two"] + (0..<end).map { "Title \($0)" })
      _ = try await test.fetch()
    }
    try test.configure("echo batch >> '\(test.log).batches'; cat >> '\(test.log)'", "hook_batch = 4")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == (0..<12).map { "Title \($0)" })
    #expect(try String(contentsOfFile: test.log + ".batches", encoding: .utf8) == "batch\nbatch\nbatch\n")
  }
}
