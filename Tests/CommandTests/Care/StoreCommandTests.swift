import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing

@Suite struct StoreCommandTests {
  /// The command with the store that others are attached to.
  private let newsimport: CommandRun
  /// The command with the store that is attached.
  private let archive: CommandRun

  init() async throws {
    newsimport = try CommandRun()
    archive = try CommandRun()
    let server = try LoopbackHTTPServer { request in
      .ok(TestFeed.rss(count: request.path == "/old" ? 3 : 1, prefix: request.path))
    }
    defer { server.stop() }
    _ = try await archive("region", "add", "world", server.url("/old"), server.url("/both"))
    _ = try await archive("fetch", "world", "-q")
    _ = try await newsimport("region", "add", "world", server.url("/new"), server.url("/both"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func guids() async throws -> Set<String> {
    let lines = try await newsimport("list", "world", "--json", "--fields", "guid").out
    return Set(
      lines.split(separator: "\n").map {
        String($0).replacing("{\"guid\":\"", with: "").replacing("\"}", with: "")
      })
  }

  @Test func `an attached store is listed with the store until it is detached`() async throws {
    #expect(try await guids() == ["/new1", "/both1"])
    let attached = try await newsimport("store", "attach", archive.store, "--name", "old")
    #expect(attached == .init(status: 0, out: "attached  old: 4 articles of 2 feeds\n", err: ""))
    // A number alone is that of an article of the store itself.
    let numbers = try await newsimport("list", "world", "--fields", "id").out.components(separatedBy: "\n")
      .dropLast()
    #expect(
      numbers.count { $0.hasPrefix("old:") } == 4
        && numbers.filter { !$0.hasPrefix("old:") }.sorted() == ["1", "2"])
    for name in ["again", "old"] {
      let twice = try await newsimport("store", "attach", archive.store, "--name", name)
      #expect(twice.status == 64 && twice.err.hasSuffix(": already attached as old\n"))
    }
    #expect(try await guids() == ["/new1", "/both1", "/old1", "/old2", "/old3"])
    #expect(try await newsimport("list", "world", "--limit", "4").out.split(separator: "\n").count == 4)
    #expect(
      try await newsimport("store", "list").out == "old   4 articles   \(archive.store)\n")
    let detached = try await newsimport("store", "detach", "old")
    #expect(
      detached == .init(status: 0, out: "detached  old; \(archive.store) stays as it is\n", err: ""))
    #expect(try await guids() == ["/new1", "/both1"])
    #expect(FileManager.default.fileExists(atPath: archive.store))
  }

  @Test(arguments: [["list", "--all"], ["list", "world"], ["export", "world"], ["search", "title"]])
  func `an attached store that turns out to be damaged is skipped`(command: [String]) async throws {
    _ = try await newsimport("store", "attach", archive.store, "--name", "old")
    try await DatabaseQueue(path: archive.store).writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'feed') WHERE name = 'article'
          """)
    }
    let result = try await newsimport.run(command)
    #expect(result.status == 0 && result.out.contains("/new1"), "\(result)")
    if command[0] != "search" {
      #expect(
        result.err.hasPrefix("newsimport: attached store old: the file is corrupt")
          && result.err.hasSuffix(
            "; newsimport store detach old removes it; its other articles are skipped\n"),
        "\(result)")
    }
  }

  @Test func `an article that several stores have is listed and found in each`() async throws {
    let copy = newsimport.folder.file("copy.sqlite")
    #expect(try await archive("store", "backup", copy).status == 0)
    _ = try await newsimport("store", "attach", archive.store, "--name", "old")
    #expect(try await newsimport("store", "attach", copy, "--name", "copy").status == 0)
    for words in [["list", "world"], ["search", "title OR item"]] {
      let found = try await newsimport.run(words + ["--fields", "guid"]).out
      let guids = found.split(separator: "\n")
      #expect(guids.count == 10 && guids.count { $0 == "/both1" } == 3, "\(found)")
    }
  }

  @Test func `marks of chosen articles are also those of attached stores, which are not written`()
    async throws
  {
    let list = try await archive("list", "--feed", "/old", "--limit", "1", "--fields", "id").out
    let number = list.trimmingCharacters(in: .newlines)
    let old = "old:" + number
    let both =
      "old:"
      + (try await archive("list", "--feed", "/both", "--fields", "id").out).trimmingCharacters(in: .newlines)
    _ = try await archive("mark", "read", number)
    _ = try await newsimport("store", "attach", archive.store, "--name", "old")
    let bytes = try Data(contentsOf: URL(filePath: archive.store))
    #expect(try await numbers("--unread").count == 5)
    let marked = try await newsimport("mark", "read", "--feed", "/old")
    #expect(
      marked.out == "marked  2 articles read, 1 already was.   Next: newsimport list --unread\n")
    #expect(try await numbers("--unread") == ["1", "2", both])
    #expect(try await numbers("--read").count == 3)
    // A mark that the other store has is removed here.
    #expect(try await newsimport("mark", "unread", old).status == 0)
    #expect(try await newsimport("mark", "starred", old).status == 0)
    #expect(try await numbers("--unread") == ["1", "2", both, old].sorted())
    #expect(try await numbers("--starred") == [old])
    #expect(try await newsimport("show", old, "--json").out.contains("\"read\":false,\"starred\":true"))
    let starred = try await newsimport("list", "--starred", "--fields", "id,read,starred", "--json")
    #expect(starred.out == "{\"id\":\"\(old)\",\"read\":false,\"starred\":true}\n")
    let found = try await newsimport("search", "item OR title", "--starred", "--fields", "id")
    #expect(found.out == old + "\n")
    let feed = try await newsimport("export", "--starred", "--format", "jsonfeed")
    #expect(feed.out.components(separatedBy: "\"title\"").count == 3, "\(feed)")
    #expect(try Data(contentsOf: URL(filePath: archive.store)) == bytes)
    // The marks are those of articles, not of rows of one file.
    _ = try await newsimport("store", "detach", "old")
    #expect(try await numbers("--starred").isEmpty)
    _ = try await newsimport("store", "attach", archive.store, "--name", "again")
    #expect(try await numbers("--starred") == ["again:" + number])
    #expect(try await newsimport("mark", "read", "--all").status == 0)
    #expect(try await numbers("--unread").isEmpty)
  }

  private func numbers(_ argument: String) async throws -> [String] { try await numbers([argument]) }

  private func numbers(_ arguments: [String]) async throws -> [String] {
    let list = try await newsimport.run(["list", "--fields", "id"] + arguments)
    return list.out.split(separator: "\n").map(String.init).sorted()
  }

  @Test func `the mark of an article is also one of the same article in an attached store`() async throws {
    _ = try await newsimport("store", "attach", archive.store, "--name", "old")
    let both = try await numbers(["--feed", "/both"])
    #expect(both.count == 2 && both[1].hasPrefix("old:"))
    // What the other store says about the articles of this one does not count here.
    _ = try await archive("store", "attach", newsimport.store, "--name", "new")
    let elsewhere = try await archive("list", "--feed", "/new", "--fields", "id").out
    #expect(
      try await archive("mark", "read", elsewhere.trimmingCharacters(in: .newlines)).status == 0,
      "\(elsewhere)")
    _ = try await newsimport("mark", "read", both[0])
    #expect(try await numbers("--read") == both)
    #expect(try await numbers("--unread").count == 4)
    _ = try await newsimport("mark", "unread", both[1])
    #expect(try await numbers("--read").isEmpty)
  }

  @Test func `one article of the store itself is marked by its number`() async throws {
    _ = try await newsimport("mark", "read", "--all")
    let one = try await newsimport("mark", "unread", "1")
    #expect(one.out == "marked  1 article unread.   Next: newsimport list --unread\n")
  }

  @Test func `a fetch leaves an attached store unchanged`() async throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: archive.store))
    _ = try await newsimport("store", "attach", archive.store, "--name", "old")
    _ = try await newsimport("fetch", "--all", "-q")
    _ = try await newsimport("list", "world")
    #expect(try Data(contentsOf: URL(fileURLWithPath: archive.store)) == before)
  }

  @Test func `a file that cannot be attached is refused by name`() async throws {
    let text = try newsimport.folder.write("text.sqlite", "no store".utf8)
    let missing = try await newsimport("store", "attach", "missing.sqlite")
    #expect(missing.status == 66 && missing.err == "newsimport: missing.sqlite: no such file\n")
    #expect(try await newsimport("store", "attach", text).status == 65)
    #expect(try await newsimport("store", "attach", "https://a.example/old.sqlite").status == 64)
    #expect(try await newsimport("store", "attach", newsimport.store).status == 64)
    #expect(try await newsimport("store", "attach", archive.store, "--name", "../up").status == 64)
    _ = try await newsimport("store", "attach", archive.store, "--name", "old")
    #expect(try await newsimport("store", "attach", archive.store, "--name", "old").status == 64)
    let unknown = try await newsimport("store", "detach", "older")
    #expect(unknown.status == 66)
    #expect(
      unknown.err == "newsimport: older: no such attached store; newsimport store list shows them\n")
  }

  @Test func `a missing attached file is reported, and the other stores are listed`() async throws {
    let copy = newsimport.folder.file("copy.sqlite")
    try FileManager.default.copyItem(atPath: archive.store, toPath: copy)
    _ = try await newsimport("store", "attach", copy)
    try FileManager.default.removeItem(atPath: copy)
    let result = try await newsimport("list", "world", "--json", "--fields", "guid")
    #expect(result.status == 0)
    #expect(result.out.split(separator: "\n").count == 2)
    #expect(result.err.hasPrefix("newsimport: attached store copy: "))
    #expect(result.err.contains("newsimport store detach copy"))
  }

  @Test func `an empty file in the place of an attached store is reported as empty`() async throws {
    let copy = newsimport.folder.file("copy.sqlite")
    try FileManager.default.copyItem(atPath: archive.store, toPath: copy)
    _ = try await newsimport("store", "attach", copy)
    _ = try newsimport.folder.write("copy.sqlite", [])
    let result = try await newsimport("list", "world", "--json", "--fields", "guid")
    #expect(result.status == 0 && result.out.split(separator: "\n").count == 2)
    #expect(
      result.err
        == "newsimport: attached store copy: an empty file, not a store; newsimport store detach copy removes it; "
        + "its articles are skipped\n")
  }
}
