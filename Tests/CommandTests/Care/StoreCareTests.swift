import Foundation
import GRDB
import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite struct StoreCareTests {
  private let newsimport: CommandRun

  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func info() async throws -> [String: Any] {
    let line = try await newsimport("store", "info", "--json").out
    return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
  }

  @Test func `store info reports the size and contents of the store`() async throws {
    let info = try await info()
    #expect(info["articles"] as? Int == 3 && info["feeds"] as? Int == 1 && info["regions"] as? Int == 1)
    #expect(info["path"] as? String == newsimport.store && (info["bytes"] as? Int ?? 0) > 0)
    let lines = try await newsimport("store", "info").out.split(separator: "\n")
    #expect(lines.first == "store      \(newsimport.store)")
    #expect(lines.last == "contents   1 region, 1 feed, 3 articles")
  }

  @Test func `a backup is an independent store and replaces no file`() async throws {
    let copy = newsimport.store + ".copy"
    let result = try await newsimport("store", "backup", copy)
    #expect(result.status == 0 && result.out.hasPrefix("saved  \(copy)  ") && result.err.isEmpty)
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let list = try await newsimport("list", "world", "--json", "--store", copy)
    #expect(list.out == (try await newsimport("list", "world", "--json").out) && !list.out.isEmpty)
    let again = try await newsimport("store", "backup", copy)
    #expect(again.status == 73 && again.out.isEmpty)
    #expect(
      again.err
        == "newsimport: \(copy) already exists; name a file that does not exist yet, in a folder that exists\n"
    )
    let nowhere = try await newsimport("store", "backup", newsimport.store + ".d/x")
    #expect(
      nowhere.status == 73 && nowhere.err.hasPrefix("newsimport: \(newsimport.store).d/x: No such file"))
  }

  @Test func `a copy leaves no other files and touches no existing ones`() async throws {
    let copy = newsimport.store + ".copy"
    let folder = URL(fileURLWithPath: copy).deletingLastPathComponent().path
    try Data("mine".utf8).write(to: URL(fileURLWithPath: copy + ".part"))
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".copy") }
    #expect(try await newsimport("store", "backup", copy).status == 0)
    let after = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".copy") }
    #expect(Set(after).subtracting(before) == [URL(fileURLWithPath: copy).lastPathComponent])
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy + ".part")) == Data("mine".utf8))
  }

  @Test func `old files of a killed copy are deleted by the next, which writes through no link`()
    async throws
  {
    let copy = newsimport.store + ".copy"
    let folder = URL(fileURLWithPath: copy).deletingLastPathComponent().path
    let name = URL(fileURLWithPath: copy).lastPathComponent
    let (old, new) = ("\(folder)/.\(name).A.newsimport-part", "\(folder)/.\(name).B.newsimport-part")
    for file in [old, old + "-journal", new] { try Data("half".utf8).write(to: URL(fileURLWithPath: file)) }
    for file in [old, old + "-journal"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: file)
    }
    // A process that has just created its file may not have locked it yet. The command may begin late.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 7200)], ofItemAtPath: new)
    // A process that copies for hours keeps its file locked.
    let slow = "\(folder)/.\(name).C.newsimport-part"
    try Data("half".utf8).write(to: URL(fileURLWithPath: slow))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: slow)
    let handle = try #require(FileHandle(forReadingAtPath: slow))
    #expect(flock(handle.fileDescriptor, LOCK_EX) == 0)
    #expect(try await newsimport("store", "backup", copy).status == 0)
    try handle.close()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.contains("newsimport-part")
    }
    #expect(
      left.sorted() == [".\(name).B.newsimport-part", ".\(name).C.newsimport-part"],
      "these may be being written")
    let link = newsimport.store + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    let refused = try await newsimport("store", "backup", link)
    #expect(
      refused.status == 73 && refused.err.hasPrefix("newsimport: \(link) already exists; name a file"))
    let nameless = try await newsimport("store", "backup", "")
    #expect(nameless.status == 73 && nameless.err.hasPrefix("newsimport: '': no name; name a file"))
  }

  @Test(.enabled(if: CommandRun.canLimitFiles))
  func `a full disk is reported for the copy, not for the store`() async throws {
    let copy = newsimport.store + ".copy"
    let result = try await Command.run(
      "bash",
      [
        "-c",
        "ulimit -f 128; exec '\(Command.builtProducts)/newsimport' store backup '\(copy)' --store '\(newsimport.store)'",
      ])
    #expect(result.status == 74 && result.err.hasPrefix("newsimport: \(copy): "), "\(result.err)")
    #expect(!FileManager.default.fileExists(atPath: copy))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount a small disk"), arguments: [false, true])
  func `a store on a full disk can be read after a command that met it`(isCut: Bool) async throws {
    let folder = newsimport.folder.file("disk")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // A killed program leaves a log with changes, without its index.
    let log = newsimport.folder.file("log")
    try FileManager.default.copyItem(atPath: newsimport.store, toPath: log)
    let writer = try DatabaseQueue(path: log)
    try await writer.write { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    try await writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA journal_mode = WAL; UPDATE article SET title = 'changed'")
    }
    let script = """
      mount -t tmpfs -o size=3m tmpfs '\(folder)'
      cp '\(log)' '\(folder)/s'; \(isCut ? "cp '\(log)-wal' '\(folder)/s-wal'" : "")
      cat /dev/zero > '\(folder)/zeros' 2>/dev/null
      run() { '\(Command.builtProducts)/newsimport' "$@" --store '\(folder)/s' 2>/dev/null; echo $?; }
      run mark read 1; run list world --fields title --limit 1; run store list; run doctor
      """
    let result = try await Command.run("unshare", ["--mount", "bash", "-c", script])
    try writer.close()
    let lines = result.out.split(separator: "\n").map(String.init)
    #expect(lines.first == "74" && lines.dropFirst(2).first == "0", "\(result)")
    #expect((lines.dropFirst().first == "changed") == isCut, "\(result)")
    #expect(lines.dropFirst(3).first == "0", "\(result)")
  }

  @Test func `a store reached by a link is reported with its own size`() async throws {
    let link = newsimport.store + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: newsimport.store)
    let through = try await newsimport("store", "info", "--json", "--store", link)
    let bytes = try FileManager.default.attributesOfItem(atPath: newsimport.store)[.size] as? Int
    #expect(through.out.contains("\"bytes\":\(try #require(bytes)),"))
  }

  @Test func `every command treats an empty file as a store that does not exist yet`() async throws {
    let empty = try newsimport.folder.write("empty.db", [])
    for (command, status) in [
      (["stats"], 66), (["list", "world"], 66), (["store", "check"], 66), (["fetch", "--due"], 66),
    ] as [([String], Int32)] {
      let result = try await newsimport.run(command + ["--store", empty])
      #expect(
        result.status == status && result.out == "" && !result.err.contains("corrupt"),
        "\(command): \(result)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: empty)).isEmpty)
    #expect(
      try await newsimport("region", "add", "world", "https://a.example/", "--store", empty).status == 0)
    #expect(try await newsimport("stats", "--store", empty).status == 0)
  }

  @Test func `a path without a file name is not a store`() async throws {
    for command in [["list", "world"], ["region", "add", "world", "https://x.example/"]] {
      let result = try await newsimport.run(command + ["--store", ""])
      #expect(
        result.status == 64 && result.err.hasPrefix("newsimport: --store names no file; see newsimport "))
    }
    #expect(!(try await newsimport("region", "list", "--json").out.contains("x.example")))
  }

  @Test func `an intact store passes, and a damaged one is reported`() async throws {
    let whole = try await newsimport("store", "check")
    #expect(whole.status == 0 && whole.out.hasPrefix("no damage in ") && whole.err.isEmpty)
    let copy = newsimport.store + ".copy"
    _ = try await newsimport("store", "backup", copy)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
    // The first byte of a page contains its type (sqlite.org/fileformat2.html#b_tree_pages).
    // The definitions of the tables are in the last pages.
    let (half, end) = (bytes.count / 2 / 16384 * 16384, bytes.count * 3 / 4)
    for place in stride(from: half, to: end, by: 16384) {
      bytes[place] = 0
    }
    try bytes.write(to: URL(fileURLWithPath: copy))
    let damaged = try await newsimport("store", "check", "--store", copy)
    #expect(damaged.status == 65 && damaged.err.hasPrefix("newsimport: \(copy)"))
    let lines = try await newsimport("store", "check", "--json", "--store", copy)
    #expect(lines.status == 65 && lines.err == damaged.err)
    let object = try JSONSerialization.jsonObject(with: Data(lines.out.utf8)) as? [String: Any]
    let damage = try #require(object?["damage"] as? [String])
    #expect(damage.map { "  \($0)\n" }.joined() == damaged.out && !damage.isEmpty)
  }

  @Test func `a repair recovers what can be read, counts it, and leaves the store as it is`()
    async throws
  {
    let copy = newsimport.store + ".copy"
    let repaired = newsimport.store + ".repaired"
    _ = try await newsimport("store", "backup", copy)
    let other = URL(fileURLWithPath: repaired + ".damaged")
    try Data("mine".utf8).write(to: other)
    let whole = try await newsimport("store", "check", "--repair", repaired, "--store", copy)
    #expect(whole.status == 0 && whole.err == "")
    #expect(try Data(contentsOf: other) == Data("mine".utf8))
    #expect(
      whole.out.hasPrefix("repaired  \(repaired)  ")
        && whole.out.hasSuffix(
          """
          : 3 of 3 articles, 1 of 1 feed, 1 of 1 region, 0 of 0 versions
            damage   none was found; damage that leaves a text UTF-8 cannot be seen

          """),
      "\(whole)")
    let articles = try await newsimport("list", "world", "--json", "--full", "--store", repaired).out
    #expect(try await newsimport("list", "world", "--json", "--full").out == articles)
    let again = try await newsimport("store", "check", "--repair", repaired, "--store", copy)
    #expect(
      again.status == 73 && again.out == "" && again.err.hasPrefix("newsimport: \(repaired) already exists"))

    // Another program has written a text into a number.
    try await DatabaseQueue(path: copy).write { db in
      try db.execute(sql: "UPDATE feed SET last_status = 'fine'")
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: copy))
    let check = try await newsimport("store", "check", "--store", copy)
    #expect(check.status == 65)
    #expect(check.out.contains("  row 1 of feed: last_status is of type text instead of integer\n"))
    let lines = try await newsimport("store", "check", "--repair", repaired + "2", "--json", "--store", copy)
    #expect(lines.status == 0 && lines.err == "")
    let object = try JSONSerialization.jsonObject(with: Data(lines.out.utf8)) as? [String: Any]
    let tables = try #require(object?["tables"] as? [[String: Any]])
    let feeds = try #require(tables.first { $0["table"] as? String == "feed" })
    #expect(
      feeds["emptied"] as? Int == feeds["copied"] as? Int && feeds["unreadable"] as? Int == 0
        && feeds["before"] as? Int == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
    #expect(try await newsimport("store", "check", "--store", repaired + "2").status == 0)
  }

  @Test func `a repair never says that nothing is missing of a damaged store`() async throws {
    let copy = newsimport.store + ".copy"
    _ = try await newsimport("store", "backup", copy)
    let root = try await DatabaseQueue(path: copy).read { db in
      try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'article'") ?? 0
    }
    let file = try #require(FileHandle(forUpdatingAtPath: copy))
    try file.seek(toOffset: UInt64((root - 1) * 16384))
    try file.write(contentsOf: Data(repeating: 0, count: 16384))
    try file.close()
    let repaired = newsimport.store + ".repaired"
    let repair = try await newsimport("store", "check", "--repair", repaired, "--store", copy)
    #expect(repair.status == 0 && repair.err == "")
    #expect(
      repair.out.contains(": 0 of at most 3 articles, 1 of at most 1 feed,")
        && repair.out.hasSuffix("\n  damage   what the damaged parts held cannot be known\n"), "\(repair)")
    #expect(try await newsimport("store", "check", "--store", repaired).status == 0)
  }

  @Test(arguments: [
    (
      "DROP INDEX article_unique0; CREATE INDEX article_unique0 ON article(feed_id, guid)",
      "table article are not those of"
    ),
    (
      "PRAGMA foreign_keys = OFF; UPDATE article SET feed_id = 77 WHERE id = 1",
      "row 1 of article refers to a missing feed"
    ),
  ])
  func `store check and doctor name what a command that saves refuses`(sql: String, damage: String)
    async throws
  {
    try await DatabaseQueue(path: newsimport.store).writeWithoutTransaction { try $0.execute(sql: sql) }
    let check = try await newsimport("store", "check")
    #expect(check.status == 65 && check.out.contains(damage), "\(check)")
    let doctor = try await newsimport("doctor")
    #expect(doctor.status == 65 && doctor.err.contains(damage), "\(doctor)")
    let copy = newsimport.store + ".repaired"
    #expect(try await newsimport("store", "check", "--repair", copy).status == 0)
    #expect(try await newsimport("fetch", "world", "--store", copy).status != 65)
  }

  @Test func `a repaired copy has the changes, the consumers, and what waits for a hook`() async throws {
    _ = try await newsimport("changes", "--consumer", "index", "--limit", "1")
    let path = try newsimport.folder.write(
      ".config/newsimport/config.toml", "[region.world]\non_new = [\"/nowhere/program\"]\n".utf8)
    #expect(
      try await newsimport("hooks", "run", "--since", "0", "region.world.on_new").status == 1, "\(path)")
    let copy = newsimport.store + ".repaired"
    let repair = try await newsimport("store", "check", "--repair", copy, "--json")
    #expect(
      repair.status == 0
        && repair.out.hasSuffix(
          #","history_whole":true,"damage":[],"stray_rows":0,"unread_log_pages":0}"# + "\n"),
      "\(repair)")
    for command in [["changes", "--since", "0", "--json"], ["changes", "--list"], ["hooks", "status"]] {
      let expected = try await newsimport.run(command)
      #expect(expected.status == 0 && !expected.out.isEmpty)
      #expect(try await newsimport.run(command + ["--store", copy]) == expected, "\(command)")
    }
    let newest = try await newsimport("changes", "--since", "now").out
    #expect(try await newsimport("changes", "--since", "now", "--store", copy).out == newest)
  }

  @Test(arguments: [
    "DELETE FROM persistent_history WHERE token = (SELECT max(token) - 1 FROM persistent_history)",
    "DROP TABLE persistent_history", "UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'persistent_history'",
    "ALTER TABLE persistent_history RENAME COLUMN changes TO others",
    "DELETE FROM persistent_history WHERE token = (SELECT max(token) FROM persistent_history)",
  ])
  func `a repaired copy has no history after a missing change, and the report says so`(sql: String)
    async throws
  {
    _ = try await newsimport("mark", "read", "--all")
    _ = try await newsimport("mark", "unread", "--all")
    try await DatabaseQueue(path: newsimport.store).writeWithoutTransaction { try $0.execute(sql: sql) }
    let copy = newsimport.store + ".repaired"
    let repair = try await newsimport("store", "check", "--repair", copy)
    #expect(
      repair.status == 0
        && repair.out.contains(
          "\n  history   changes could not be read: consumers and hooks that need them say so\n"),
      "\(repair)")
    #expect(try await newsimport("store", "check", "--store", copy).status == 0)
  }

  @Test func `store check names a view that another program has removed, and a repaired copy has it`()
    async throws
  {
    try await DatabaseQueue(path: newsimport.store).writeWithoutTransaction {
      try $0.execute(sql: "DROP VIEW articles")
    }
    let check = try await newsimport("store", "check")
    #expect(
      check.status == 65 && check.out == "  the view articles cannot be read: no such table: articles\n")
    let copy = newsimport.store + ".repaired"
    let repair = try await newsimport("store", "check", "--repair", copy)
    #expect(
      repair.status == 0
        && repair.out.hasSuffix(
          "  damage   the view articles cannot be read: no such table: articles; the copy has it\n"),
      "\(repair)")
    #expect(
      try await newsimport("sql", "SELECT count(*) FROM articles", "--store", copy).out.hasSuffix("3\n"))
  }

  @Test func `a pipe in the place of the search index blocks no search`() async throws {
    #expect(mkfifo(newsimport.store + ".search", 0o600) == 0)
    let result = try await newsimport("search", "title")
    #expect(result.status == 73 && result.err.contains("is not a file"), "\(result)")
  }

  @Test(.enabled(if: CommandRun.canLimitFiles)) func `a limit on the size of files is named`() async throws {
    let script =
      "ulimit -f 10; exec '\(Command.builtProducts)/newsimport' region add w https://a.example/ --store '\(newsimport.store).new'"
    let result = try await Command.run("bash", ["-c", script])
    #expect(
      result.status == 74 && result.err.contains("the size of files is limited; raise the limit (ulimit -f)"),
      "\(result)")
  }

  @Test func `missing indexes and cells of a wrong type are named`() async throws {
    try await DatabaseQueue(path: newsimport.store).write { db in
      try db.execute(sql: "DROP INDEX article_index0")
    }
    let check = try await newsimport("store", "check")
    let words = "the index article_index0 is missing: reading is slower until the next import adds it\n"
    #expect(check.status == 0 && check.out.hasPrefix("  " + words) && check.err == "")
    #expect(try await newsimport("doctor").err.hasPrefix("newsimport: " + words))
    try await DatabaseQueue(path: newsimport.store).write { db in
      try db.execute(sql: "UPDATE article SET published = 'today'")
    }
    let doctor = try await newsimport("doctor")
    #expect(doctor.status == 65)
    #expect(
      doctor.err.contains(
        "row 1 of article: published is of type text instead of integer or real; newsimport store check shows all"
      ))
  }

  @Test func `vacuum removes unused space and nothing else`() async throws {
    let before = try await newsimport("list", "world", "--json", "--full").out
    let result = try await newsimport("store", "vacuum")
    #expect(result.status == 0 && result.out.contains(" -> ") && result.err.isEmpty)
    // Opening a store uses a page for a short time.
    #expect(try #require(try await info()["free_bytes"] as? Int) <= 16384)
    #expect(try await newsimport("list", "world", "--json", "--full").out == before)
  }

  @Test func `without a store the way to create one is reported`() async throws {
    for command in [["info"], ["check"], ["check", "--repair", "/x"], ["vacuum"], ["backup", "/x"]] {
      let result = try await newsimport.run(["store"] + command + ["--store", newsimport.store + ".none"])
      #expect(result.status == 66 && result.out.isEmpty)
      #expect(
        result.err
          == "newsimport: \(newsimport.store).none: no such store; newsimport region add NAME URL creates one\n"
      )
    }
  }
}
