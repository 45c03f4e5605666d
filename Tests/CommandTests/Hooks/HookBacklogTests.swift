import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Articles that a hook has not handled yet are neither pruned nor archived.
@Suite struct HookBacklogTests {
  /// The articles of ``HookRunTests``, which are all of 2010.
  private let old = ["prune", "--keep", "90d", "--yes"]

  private func count(_ test: HookRunTests) async throws -> Int {
    try await test.newsimport("list", "--json").out.split(separator: "\n").count
  }

  @Test func `an article whose hook failed is not pruned before it is handled`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    let preview = try await test.newsimport.run(["prune", "--keep", "90d", "--dry-run"])
    #expect(preview.out.hasSuffix("; 1 that waits for a hook stays: newsimport hooks status\n"), "\(preview)")
    #expect(
      try await test.newsimport.run(["prune", "--keep", "90d", "--dry-run", "--json"]).out.contains(
        "\"articles\":2,\"starred\":0,\"waiting\":1,"))
    let pruned = try await test.newsimport.run(old)
    #expect(pruned.status == 0 && pruned.err == "")
    #expect(
      pruned.out.hasSuffix(
        "deleted  2 articles of 1 feed, older than 90 d (--keep); 1 that waits for a hook stays: newsimport hooks status.   Next: newsimport store vacuum, to free the space\n"
      ), "\(pruned)")
    #expect(try await count(test) == 1)
    try test.configure("cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == ["Three"])
    _ = try await test.newsimport.run(old)
    #expect(try await count(test) == 0)
  }

  @Test func `an article that waits for a hook is not archived, unless the hook gives it up`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.write("[region.world]\non_new = [\"/nowhere/program\"]\n")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    let file = test.newsimport.folder.file("old.sqlite")
    let archive = ["archive", "--before", "2023-01-01", "--to", file]
    #expect(
      try await test.newsimport.run(archive + ["--dry-run", "--json"]).out.contains(
        "\"moved\":2,\"starred\":0,\"waiting\":1,\"left\":0"))
    #expect(
      try await test.newsimport.run(archive)
        == .init(
          status: 0,
          out:
            "moved  2 articles to \(file), attached as old; 1 that waits for a hook stays: newsimport hooks status\n",
          err: ""))
    // What has failed waits also for a hook that is gone from the configuration, which may be the wrong one.
    try test.write("")
    #expect(
      try await test.newsimport.run(archive)
        == .init(
          status: 0,
          out: "moved  0 articles to \(file); 1 that waits for a hook stays: newsimport hooks status\n",
          err: ""))
    #expect(try await test.newsimport("hooks", "skip", "region.world.on_new").status == 0)
    #expect(
      try await test.newsimport.run(archive)
        == .init(status: 0, out: "moved  1 article to \(file), attached as old\n", err: ""))
  }

  @Test func `a fetch that deletes old articles leaves those that it has just imported to their hook`()
    async throws
  {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("cat >> '\(test.log)'", "[retention]\nkeep = \"90d\"\nauto = true")
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 0)
    #expect(try test.objects().map { $0["title"] as? String } == ["Three"])
    #expect(try await count(test) == 1)
  }
}
