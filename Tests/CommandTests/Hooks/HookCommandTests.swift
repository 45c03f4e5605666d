import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// A store with the feed of a region, and a configuration with hooks.
struct HookRunTests {
  let newsimport: CommandRun
  let server: LoopbackHTTPServer
  /// The titles of the articles of the feed.
  private let titles = Locked(["One", "Two"])

  var feed: String { server.url("/feed") }
  /// The file that scripts append to.
  var log: String { newsimport.folder.file("log") }

  /// The region `world` with a feed of two articles, which was fetched before the hooks were configured.
  init(fetched: Bool = true) async throws {
    newsimport = try CommandRun()
    let titles = titles
    server = try LoopbackHTTPServer { _ in
      .ok(TestFeed.rss(titles.withLock { $0 }.enumerated().map { ("guid-\($0)", $1) }))
    }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    if fetched { _ = try await newsimport("fetch", "world", "-q") }
  }

  /// Writes a script that the hook of the region runs, and the configuration.
  func configure(
    _ script: String, key: String = "on_new", table: String = "region.world", _ rest: String = ""
  )
    throws
  {
    let path = try self.script("hook.sh", script)
    try write("[\(table)]\n\(key) = [\"/bin/sh\", \"\(path)\"]\n\(rest)\n")
  }

  func write(_ text: String) throws {
    _ = try newsimport.folder.write(".config/newsimport/config.toml", text.utf8)
  }

  func script(_ name: String, _ text: String) throws -> String {
    let path = try newsimport.folder.write(name, "#!/bin/sh\n\(text)\n".utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return path
  }

  func publish(_ new: [String]) { titles.withLock { $0 = new } }

  /// Runs a statement as another program does.
  func edit(_ sql: String) async throws {
    try newsimport.execute(sql)
  }

  func fetch(_ arguments: String...) async throws -> CommandRun.Result {
    try await newsimport.run(["fetch", "world", "-q"] + arguments)
  }

  /// The lines that the scripts have appended, as JSON.
  func objects() throws -> [[String: Any]] {
    try lines().map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  func lines() -> [String] {
    ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }
}

/// The hooks of the configuration, which get new and edited articles.
@Suite struct HookCommandTests {
  @Test func `a new article is passed to the command of its region as a line of JSON`() async throws {
    let test = try await HookRunTests()
    try test.configure(
      "cat >> '\(test.log)'; echo out; echo \"$NEWSIMPORT_EVENT $NEWSIMPORT_HOOK\" > '\(test.log).env'")
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    #expect(test.lines().isEmpty)
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    let object = try #require(try test.objects().first)
    #expect(try test.objects().count == 1)
    #expect(object["title"] as? String == "Three" && object["guid"] as? String == "guid-2")
    #expect(object["feed"] as? String == test.feed && object["regions"] as? [String] == ["world"])
    #expect(object["change"] as? String == "insert" && object["hook"] as? String == "region.world.on_new")
    #expect(object.keys.contains("content_html") && object["read"] as? Bool == false)
    let event = try #require(object["event"] as? String)
    #expect(
      try String(contentsOfFile: test.log + ".env", encoding: .utf8) == "\(event) region.world.on_new\n")
    #expect(
      try await test.newsimport("changes", "--json").out.contains(
        "{\"token\":\"\(event)\",\"change\":\"insert\""))
    #expect(try await test.fetch().status == 0)
    #expect(test.lines().count == 1)
    test.server.stop()
  }

  @Test func `a command has the user's mask for new files`() async throws {
    let test = try await HookRunTests()
    try test.configure("umask > '\(test.log)'")
    test.publish(["One", "Two", "Three"])
    let program = "\(Command.builtProducts)/newsimport"
    let result = try await Command.run(
      "sh", ["-c", "umask 026; exec '\(program)' fetch world -q --store '\(test.newsimport.store)'"],
      environment: ["HOME": test.newsimport.folder.path])
    #expect(result.status == 0 && test.lines() == ["0026"], "\(result)")
    test.server.stop()
  }

  @Test func `the first import of a feed and the import of files run nothing`() async throws {
    let test = try await HookRunTests(fetched: false)
    try test.configure("cat >> '\(test.log)'")
    #expect(try await test.fetch().status == 0)
    let file = try test.newsimport.folder.write("old.xml", TestFeed.rss([("old", "Old")]).utf8)
    #expect(try await test.newsimport("import", file, "--feed", test.feed).status == 0)
    #expect(try await test.newsimport("list", "world", "--json").out.split(separator: "\n").count == 3)
    #expect(test.lines().isEmpty)
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 0)
    #expect(try test.objects().map { $0["title"] as? String } == ["Three"])
    test.server.stop()
  }

  @Test func `an edited article is passed with its old and new values`() async throws {
    let test = try await HookRunTests()
    try test.configure("cat >> '\(test.log)'", key: "on_edited")
    _ = try await test.fetch()
    test.publish(["One", "Two, again", "Three"])
    #expect(try await test.fetch().status == 0)
    let object = try #require(try test.objects().first)
    #expect(test.lines().count == 1)
    #expect(object["change"] as? String == "update" && object["title"] as? String == "Two, again")
    #expect(object["old"] as? [String: String] == ["title": "Two"])
    #expect(object["kind"] as? [String] == ["words"])
    test.server.stop()
  }

  @Test func `a feed and a query have hooks of their own, and other articles concern none of them`()
    async throws
  {
    let test = try await HookRunTests()
    let script = try test.script("hook.sh", "cat > /dev/null; echo \"$NEWSIMPORT_HOOK\" >> '\(test.log)'")
    try test.write(
      """
      [[feed]]
      url = "\(test.feed)"
      on_new = ["/bin/sh", "\(script)"]
      [[feed]]
      url = "https://example.org/other"
      on_new = ["/bin/sh", "\(script)"]
      [query.ferry]
      regions = ["world"]
      match = "ferry"
      on_new = ["/bin/sh", "\(script)"]
      [query.other]
      regions = ["world"]
      match = "ferry"
      since = "2020-01-01"
      on_new = ["/bin/sh", "\(script)"]
      """)
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three", "The ferry"])
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    #expect(
      test.lines() == Array(repeating: "feed.\(test.feed).on_new", count: 2) + ["query.ferry.on_new"])
    test.server.stop()
  }

  @Test func `a batch has as many lines as the configuration states`() async throws {
    let test = try await HookRunTests()
    try test.configure("wc -l >> '\(test.log)'", "hook_batch = 2")
    _ = try await test.fetch()
    test.publish(["One", "Two", "3", "4", "5", "6", "7"])
    #expect(try await test.fetch().status == 0)
    #expect(test.lines() == ["2", "2", "1"])
    test.server.stop()
  }

  @Test func `commands get a clean environment, and of the program's descriptors only the lock`() async throws
  {
    let test = try await HookRunTests()
    try test.configure(
      "env | cut -d= -f1 | sort > '\(test.log)'; pwd >> '\(test.log)'; ls /proc/self/fd | wc -l >> '\(test.log)'"
    )
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    let result = try await test.newsimport.run(
      ["fetch", "world", "-q"], variables: ["SECRET": "x", "NEWSIMPORT_X": "y", "LANG": "C"])
    #expect(result == .init(status: 0, out: "", err: ""))
    #expect(
      test.lines() == [
        "HOME", "LANG", "NEWSIMPORT_CONFIG", "NEWSIMPORT_EVENT", "NEWSIMPORT_HOOK", "NEWSIMPORT_STORE",
        "NEWSIMPORT_X", "PATH", "PWD", "TZ", test.newsimport.folder.path, "5",
      ])
    test.server.stop()
  }
}

/// Hooks that fail: nothing is lost, and nothing is repeated for other articles.
@Suite struct HookFailureTests {
  @Test func `one failing article of 100 is kept and repeated, and the others are handled`() async throws {
    let test = try await HookRunTests()
    let script =
      "input=$(cat); case $input in *'\"Bad\"'*) echo no such word >&2; exit 3;; esac; echo \"$input\" >> '\(test.log)'"
    try test.configure(script, "hook_batch = 100")
    _ = try await test.fetch()
    test.publish(["One", "Two"] + (2..<101).map { "Title \($0)" } + ["Bad"])
    let failed = try await test.fetch()
    #expect(failed.status == 1 && failed.out == "")
    #expect(
      failed.err
        == "newsimport: hook region.world.on_new: 1 of 100 articles failed: /bin/sh: exited with status 3: no such word; newsimport hooks status shows the next attempts\n"
    )
    #expect(test.lines().count == 99)
    // The next attempt is in a minute.
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    let line = try await test.newsimport("hooks", "status", "--json").out
    let status = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(status["hook"] as? String == "region.world.on_new" && status["gone"] as? Bool == false)
    #expect(
      status["waiting"] as? Int == 0 && status["failing"] as? Int == 1 && status["attempts"] as? Int == 1)
    let failures = try #require(status["failures"] as? [[String: Any]])
    let event = failures.first?["event"] as? String
    #expect(failures.count == 1 && failures.first?["status"] as? Int == 3)
    let again = try await test.newsimport("hooks", "run", "--retry")
    #expect(again.status == 1 && again.err.contains(": 1 of 1 article failed: "))
    // The same event is repeated until the command succeeds.
    try test.configure("cat >> '\(test.log)'", "hook_batch = 100")
    let repeated = try await test.newsimport("hooks", "run", "--retry", "region.world.on_new")
    #expect(repeated == .init(status: 0, out: "", err: ""))
    let last = try #require(try test.objects().last)
    #expect(last["title"] as? String == "Bad" && last["event"] as? String == event)
    #expect(test.lines().count == 100)
    #expect(
      try await test.newsimport("hooks", "status").out == "region.world.on_new   0 waiting\n")
    test.server.stop()
  }

  @Test(arguments: [
    ("/nowhere/program", "no such program"), ("~/program", "no such program; ~ is not expanded"),
    ("/etc/passwd", "cannot be started: Permission denied"),
  ])
  func `a command that cannot be started loses nothing`(program: String, cause: String) async throws {
    let test = try await HookRunTests()
    try test.write("[region.world]\non_new = [\"\(program)\"]\n")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three", "Four"])
    let failed = try await test.fetch()
    #expect(failed.status == 1)
    #expect(
      failed.err
        == "newsimport: hook region.world.on_new: \(program): \(cause); newsimport hooks status shows the next attempts\n"
    )
    // It is put off, and then not started again.
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    let status = try await test.newsimport("hooks", "status").out
    #expect(status.hasPrefix("region.world.on_new   2 waiting   put off   next attempt "), "\(status)")
    #expect(status.hasSuffix("   \(program): \(cause)\n"), "\(status)")
    try test.configure("cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    #expect(test.lines().count == 2)
    test.server.stop()
  }

  @Test func `a program that was corrected is tried at once, and gets the path of the configuration`()
    async throws
  {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.write("[region.world]\non_new = [\"/nowhere/program\"]\n")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three", "Four"])
    #expect(try await test.fetch().status == 1)
    try test.configure("cat >> '\(test.log)'; echo \"$NEWSIMPORT_CONFIG\" >> '\(test.log).config'")
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    #expect(test.lines().count == 2)
    let path = test.newsimport.folder.file(".config/newsimport/config.toml")
    #expect(try String(contentsOfFile: test.log + ".config", encoding: .utf8) == "\(path)\n\(path)\n")
  }

  @Test func `a script whose interpreter is missing is not called missing itself`() async throws {
    let test = try await HookRunTests()
    let path = try test.script("hook.sh", "")
    try Data("#!/nowhere/sh\n".utf8).write(to: URL(fileURLWithPath: path))
    try test.write("[region.world]\non_new = [\"\(path)\"]\n")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(
      try await test.fetch().err.contains("hook.sh: the interpreter in its first line does not exist; "))
    let status = try await test.newsimport("hooks", "status").out
    #expect(status.hasSuffix("hook.sh: the interpreter in its first line does not exist\n"), "\(status)")
    test.server.stop()
  }

  @Test func `a command that hangs is ended with its children, and its article is kept`() async throws {
    let test = try await HookRunTests()
    try test.configure(
      "sleep 1000 & echo $! > '\(test.log)'; trap '' TERM; wait; wait; sleep 1000", "hook_timeout = 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    let failed = try await test.fetch()
    #expect(failed.status == 1 && failed.err.contains("/bin/sh: was stopped after 1 s; "))
    let child = try #require(test.lines().first.flatMap { Int32($0) })
    #expect(!Self.isRunning(child))
    test.server.stop()
  }

  @Test func `a command that writes without end is ended`() async throws {
    let test = try await HookRunTests()
    try test.configure("exec cat /dev/zero")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    let failed = try await test.fetch()
    #expect(
      failed.status == 1 && failed.err.contains("/bin/sh: was stopped because it wrote more than 1 GB; "))
    test.server.stop()
  }

  @Test func `a child that keeps the output open does not delay the end`() async throws {
    let test = try await HookRunTests()
    try test.configure("sleep 1000 & echo $! >> '\(test.log)'")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    let child = try #require(test.lines().first.flatMap { Int32($0) })
    #expect(Self.isRunning(child))
    // It does not keep the hook from running.
    test.publish(["One", "Two", "Three", "Four"])
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    for child in test.lines().compactMap({ Int32($0) }) { kill(child, SIGKILL) }
    #expect(test.lines().count == 2)
    test.server.stop()
  }

  @Test func `a fetch that is killed while the command runs repeats the event with its token`() async throws {
    let test = try await HookRunTests()
    let mark = test.newsimport.folder.file("first")
    try test.configure(
      "cat >> '\(test.log)'; if [ ! -e '\(mark)' ]; then touch '\(mark)'; kill -9 $PPID; fi")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == -SIGKILL)
    let first = try test.objects()
    #expect(first.count == 1)
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    let tokens = try test.objects().map { $0["event"] as? String }
    #expect(tokens.count == 2 && Set(tokens).count == 1)
    #expect(try await test.fetch().status == 0)
    #expect(test.lines().count == 2)
    test.server.stop()
  }

  @Test func `a run that is killed between its failures and its position leaves the failures their time`()
    async throws
  {
    let test = try await HookRunTests()
    try test.configure(
      "input=$(cat); echo \"$input\" >> '\(test.log)'; case $input in *'\"Bad\"'*) exit 3;; esac")
    _ = try await test.fetch()
    try await test.edit("CREATE TABLE before AS SELECT * FROM persistent_consumer")
    test.publish(["One", "Two", "Bad", "Good"])
    #expect(try await test.fetch().status == 1)
    #expect(try test.objects().map { $0["title"] as? String } == ["Bad", "Good"])
    // The state at the kill: the failure is saved, and the consumer is where it was.
    try await test.edit(
      "DELETE FROM persistent_consumer; INSERT INTO persistent_consumer SELECT * FROM before; DROP TABLE before"
    )
    #expect(try await test.newsimport("hooks", "run").status == 0)
    let objects = try test.objects()
    #expect(objects.map { $0["title"] as? String } == ["Bad", "Good", "Good"])
    #expect(objects.last?["event"] as? String == objects[1]["event"] as? String)
    try test.configure("cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run", "--retry").status == 0)
    let last = try #require(try test.objects().last)
    #expect(last["title"] as? String == "Bad" && last["event"] as? String == objects[0]["event"] as? String)
    #expect(test.lines().count == 4)
    test.server.stop()
  }

  @Test func `a command that outlives its run is not started again beside itself`() async throws {
    let test = try await HookRunTests()
    let mark = test.newsimport.folder.file("first")
    try test.configure(
      "cat >> '\(test.log)'; if [ ! -e '\(mark)' ]; then echo $$ > '\(mark)'; kill -9 $PPID; while [ ! -e '\(mark)2' ]; do sleep 0.05; done; fi"
    )
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == -SIGKILL)
    let process = try #require(
      Int32(String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(in: .newlines)))
    let message =
      "newsimport: hook region.world.on_new: put off: the command of a run that was killed still runs (process \(process))\n"
    #expect(try await test.fetch() == .init(status: 1, out: "", err: message))
    #expect(try await test.newsimport("hooks", "run") == .init(status: 75, out: "", err: message))
    #expect(
      try await test.newsimport("hooks", "status").out
        == "region.world.on_new   1 waiting   the command of a run that was killed still runs (process \(process))\n"
    )
    #expect(test.lines().count == 1)
    _ = try test.newsimport.folder.write("first2", [])
    try await until("the end of the command", { !Self.isRunning(process) })
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    #expect(Set(try test.objects().map { $0["event"] as? String }).count == 1)
    #expect(test.lines().count == 2)
    test.server.stop()
  }

  @Test func `a run that a signal ends repeats the event`() async throws {
    let test = try await HookRunTests()
    let mark = test.newsimport.folder.file("first")
    try test.configure(
      "cat >> '\(test.log)'; if [ ! -e '\(mark)' ]; then touch '\(mark)'; kill -INT $PPID; sleep 1000; fi")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(
      try await test.fetch()
        == .init(
          status: 130, out: "",
          err: "newsimport: stopped: hook region.world.on_new gets its last articles again at the next run\n")
    )
    #expect(try await test.fetch() == .init(status: 0, out: "", err: ""))
    #expect(Set(try test.objects().map { $0["event"] as? String }).count == 1)
    #expect(test.lines().count == 2)
    test.server.stop()
  }

  @Test func `of two fetches at once, one runs the hook, and hands on what the other has saved`() async throws
  {
    let test = try await HookRunTests()
    let inner = "\(Command.builtProducts)/newsimport"
    let mark = test.newsimport.folder.file("first")
    // The command itself runs the second fetch, which finds another new article.
    try test.configure(
      "cat >> '\(test.log)'; if [ ! -e '\(mark)' ]; then touch '\(mark)'; while [ ! -e '\(mark)2' ]; do :; done; \(inner) fetch world -q; fi"
    )
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    let result = try await test.newsimport.run(["fetch", "world", "-q"]) { _ in
      try await until("the command's start", { FileManager.default.fileExists(atPath: mark) })
      test.publish(["One", "Two", "Three", "Four"])
      _ = try test.newsimport.folder.write("first2", [])
    }
    #expect(result == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == ["Three", "Four"])
    test.server.stop()
  }

  @Test func `after a fetch without hooks, the articles wait for hooks run`() async throws {
    let test = try await HookRunTests()
    let run = ["hooks", "run", "--report-after", "2"]
    #expect(try await test.newsimport.run(run) == .init(status: 0, out: "", err: ""))
    try test.configure("cat >> '\(test.log)'")
    test.publish(["One", "Two", "Three"])
    // The new hook begins with the articles of this fetch.
    #expect(try await test.fetch("--no-hooks") == .init(status: 0, out: "", err: ""))
    #expect(test.lines().isEmpty)
    #expect(try await test.newsimport.run(run) == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == ["Three"])
    try test.configure("exit 1")
    test.publish(["One", "Two", "Three", "Four"])
    _ = try await test.fetch("--no-hooks")
    #expect(try await test.newsimport.run(run) == .init(status: 0, out: "", err: ""))
    try await test.edit("UPDATE hook_failure SET next_attempt = 0")
    let failed = try await test.newsimport.run(run)
    #expect(failed.status == 1 && failed.err.hasPrefix("newsimport: hook region.world.on_new: "))
    #expect(try await test.newsimport("hooks", "run", "--report-after", "0").status == 64)
    test.server.stop()
  }

  @Test func `with --report-after, a failing hook is reported once`() async throws {
    let test = try await HookRunTests()
    try test.configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch("--report-after", "2") == .init(status: 0, out: "", err: ""))
    test.publish(["One", "Two", "Three", "Four"])
    #expect(try await test.fetch("--report-after", "1").status == 1)
    #expect(try await test.fetch("--report-after", "1") == .init(status: 0, out: "", err: ""))
    for titles in [["Five"], ["Five", "Six"]] {
      test.publish(["One", "Two", "Three", "Four"] + titles)
      try await test.edit("UPDATE hook_failure SET next_attempt = 0")
      #expect(try await test.fetch("--report-after", "1") == .init(status: 0, out: "", err: ""))
    }
    test.server.stop()
  }

  @Test func `a further failure is reported beside one that was reported before`() async throws {
    let test = try await HookRunTests()
    try test.configure("if grep -q Three; then exit 5; fi")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch("--report-after", "1").status == 1)
    #expect(try await test.fetch("--report-after", "1") == .init(status: 0, out: "", err: ""))
    try FileManager.default.removeItem(atPath: test.newsimport.folder.file("hook.sh"))
    try test.write("[region.world]\non_new = [\"\(test.newsimport.folder.file("gone"))\"]\n")
    test.publish(["One", "Two", "Three", "Four"])
    let gone = try await test.fetch("--report-after", "1")
    #expect(gone.status == 1 && gone.err.contains("gone: no such program"), "\(gone)")
    #expect(try await test.fetch("--report-after", "1") == .init(status: 0, out: "", err: ""))
    test.server.stop()
  }

  @Test func `a hook that was put off says so, and is no longer put off if nothing waits`() async throws {
    let test = try await HookRunTests()
    try test.write("[region.world]\non_new = [\"\(test.newsimport.folder.file("gone"))\"]\n")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    _ = try test.script("gone", "true")
    let early = try await test.newsimport("hooks", "run")
    #expect(early.status == 1 && early.err.hasPrefix("newsimport: hook region.world.on_new: put off until "))
    #expect(early.err.hasSuffix("; newsimport hooks run --retry region.world.on_new does not wait\n"))
    _ = try await test.newsimport("hooks", "run", "--retry", "--since", "now", "region.world.on_new")
    #expect(try await test.newsimport("hooks", "status").out == "region.world.on_new   0 waiting\n")
    test.server.stop()
  }

  @Test func `changes by SQL reach a hook, whose position belongs to it alone`() async throws {
    let test = try await HookRunTests()
    try test.configure("cat >> '\(test.log)'", key: "on_edited")
    _ = try await test.fetch()
    try await test.edit("UPDATE article SET title = 'Corrected' WHERE id = 1")
    #expect(try await test.newsimport("hooks", "run") == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == ["Corrected"])
    let other = try await test.newsimport("changes", "--consumer", "hook:region.world.on_edited", "--forget")
    #expect(other.status == 64 && other.err.contains("the position of a hook is moved with newsimport hooks"))
    test.server.stop()
  }

  private static func isRunning(_ process: Int32) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return status.map { !$0.contains("State:\tZ") } ?? false
  }
}

/// The section of the manual about hooks.
@Suite struct HookManualTests {
  @Test func `the example in docs/configuration.md works`() async throws {
    let test = try await HookRunTests()
    let page = try String(
      contentsOf: Repository.folder.appending(path: "docs/configuration.md"), encoding: .utf8)
    let section = try #require(page.split(separator: "## Hooks\n").last)
    func block(_ language: String) throws -> String {
      let start = try #require(section.split(separator: "```\(language)\n").dropFirst().first)
      return String(try #require(start.split(separator: "```").first))
    }
    let path = try test.newsimport.folder.write("bin/archive-it", block("sh").utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    try test.write(block("toml"))
    let variables = ["PATH": test.newsimport.folder.file("bin") + ":/usr/bin:/bin"]
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(
      try await test.newsimport.run(["fetch", "world", "-q"], variables: variables)
        == .init(status: 0, out: "", err: ""))
    let text = try String(contentsOfFile: test.newsimport.folder.file("new-articles.jsonl"), encoding: .utf8)
    #expect(text.hasPrefix("{\"event\":\"") && text.contains("\"title\":\"Three\""))
    test.server.stop()
  }
}

/// The command `hooks`.
@Suite struct HooksCommandTests {
  @Test func `a hook can start again, also with the articles of a first import`() async throws {
    let test = try await HookRunTests()
    try test.configure("cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run") == .init(status: 0, out: "", err: ""))
    #expect(test.lines().isEmpty)
    let again = try await test.newsimport("hooks", "run", "--since", "0", "region.world.on_new")
    #expect(again == .init(status: 0, out: "", err: ""))
    #expect(Set(try test.objects().map { $0["title"] as? String }) == ["One", "Two"])
    let wrong = try await test.newsimport("hooks", "run", "--since", "1-00000000", "region.world.on_new")
    #expect(wrong.status == 65)
    #expect(
      wrong.err.hasSuffix(
        "newsimport hooks run --since 0 region.world.on_new starts at the beginning of what is kept\n"),
      "\(wrong.err)")
    let unknown = try await test.newsimport("hooks", "run", "region.word.on_new")
    #expect(
      unknown
        == .init(
          status: 66, out: "",
          err: "newsimport: region.word.on_new: no such hook; did you mean region.world.on_new?\n"))
    test.server.stop()
  }

  @Test func `failures can be dropped, and a hook that is gone is forgotten`() async throws {
    let test = try await HookRunTests()
    try test.configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three", "Four"])
    #expect(try await test.fetch().status == 1)
    #expect(
      try await test.newsimport("hooks", "skip", "region.world.on_new")
        == .init(status: 0, out: "region.world.on_new: 2 failing articles dropped\n", err: ""))
    #expect(try await test.newsimport("hooks", "status").out == "region.world.on_new   0 waiting\n")
    try test.write("")
    #expect(
      try await test.newsimport("hooks", "status").out
        == "region.world.on_new   gone from the configuration\n"
    )
    #expect(
      try await test.newsimport("hooks", "skip", "region.world.on_new").out
        == "region.world.on_new: 0 failing articles dropped, and the hook is forgotten\n")
    #expect(try await test.newsimport("hooks", "status").out == "")
    #expect(try await test.newsimport("changes", "--list").out == "")
    test.server.stop()
  }

  @Test func `the hook of a renamed region continues under the new name`() async throws {
    let test = try await HookRunTests()
    try test.configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    #expect(try await test.newsimport("region", "rename", "world", "welt").status == 0)
    try test.configure("cat >> '\(test.log)'", table: "region.welt")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    test.publish(["One", "Two", "Three", "Four"])
    #expect(try await test.newsimport("fetch", "welt", "-q") == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == ["Three", "Four"])
    #expect(try await test.newsimport("hooks", "status").out == "region.welt.on_new   0 waiting\n")
    test.server.stop()
  }

  @Test func `a failure is repeated before its time only if the user says so, for the named hooks`()
    async throws
  {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    try test.configure("cat >> '\(test.log)'")
    #expect(try await test.newsimport("hooks", "run") == .init(status: 0, out: "", err: ""))
    #expect(test.lines().isEmpty)
    let unknown = try await test.newsimport("hooks", "run", "--retry", "region.other.on_new")
    #expect(unknown.status == 66 && test.lines().isEmpty)
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    #expect(try test.objects().map { $0["title"] as? String } == ["Three"])
  }

  @Test func `failures of other hooks are not repeated with those of the named ones`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    func configure(_ end: String) throws {
      try test.write(
        """
        [region.world]
        on_new = ["sh", "-c", "echo world >>'\(test.log)'; \(end)"]
        [query.all]
        on_new = ["sh", "-c", "echo all >>'\(test.log)'; \(end)"]
        """)
    }
    try configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    let first = test.lines()
    #expect(Set(first) == ["world", "all"])
    try configure("exit 0")
    let run = try await test.newsimport("hooks", "run", "--retry", "query.all.on_new")
    #expect(run == .init(status: 0, out: "", err: "") && test.lines() == first + ["all"])
    let status = try await test.newsimport("hooks", "status").out
    #expect(status.contains("1 failing"), "\(status)")
  }

  @Test func `a stopped run that includes first imports passes their articles to the next run`() async throws
  {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    let mark = test.newsimport.folder.file("first")
    try test.configure(
      "cat >> '\(test.log)'; if [ ! -e '\(mark)' ]; then touch '\(mark)'; kill -INT $PPID; sleep 1000; fi",
      "hook_batch = 1")
    _ = try await test.fetch()
    let stopped = try await test.newsimport("hooks", "run", "--since", "0", "region.world.on_new")
    #expect(stopped.status == 130 && stopped.err.contains("gets its last articles again"), "\(stopped)")
    #expect(try await test.newsimport("hooks", "run") == .init(status: 0, out: "", err: ""))
    #expect(Set(try test.objects().map { $0["title"] as? String }) == ["One", "Two"])
  }

  @Test func `status counts no article that was deleted`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("exit 1")
    _ = try await test.fetch()
    test.publish(["One", "Two", "Three"])
    #expect(try await test.fetch().status == 1)
    #expect(try await test.newsimport("hooks", "status").out.contains("1 failing"))
    _ = try await test.newsimport("feed", "remove", test.server.url("/feed"), "--yes")
    let status = try await test.newsimport("hooks", "status").out
    #expect(status.contains("0 waiting") && !status.contains("failing"), "\(status)")
  }

  @Test func `articles that always fail do not keep later ones from a command that works`() async throws {
    let test = try await HookRunTests()
    defer { test.server.stop() }
    try test.configure("read -r line; case $line in *Dead*) exit 1;; esac; echo \"$line\" >> '\(test.log)'")
    _ = try await test.fetch()
    let dead = ["One", "Two"] + (0..<20).map { "Dead \($0)" }
    test.publish(dead)
    #expect(try await test.fetch().err.contains("20 of 20 articles failed, and the others wait"))
    test.publish(dead + ["Good", "Better"])
    _ = try await test.fetch()
    #expect(test.lines() == [])
    let run = try await test.newsimport("hooks", "run", "--retry")
    #expect(run.status == 1 && run.err.contains("20 of 22 articles failed"), "\(run)")
    #expect(Set(try test.objects().map { $0["title"] as? String }) == ["Good", "Better"])
  }

  @Test func `a command that fails for every article is put off, and what follows waits`() async throws {
    let test = try await HookRunTests()
    try test.configure("exit 1", "hook_batch = 5")
    _ = try await test.fetch()
    test.publish(["One", "Two"] + (0..<50).map { "Title \($0)" })
    let failed = try await test.fetch()
    #expect(failed.status == 1 && failed.err.contains(" failed, and the others wait: "), "\(failed)")
    let line = try await test.newsimport("hooks", "status", "--json").out
    let status = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let (waiting, failing) = (status["waiting"] as? Int ?? 0, status["failing"] as? Int ?? 0)
    #expect(failing > 0 && waiting > 0 && waiting + failing == 50)
    try test.configure("cat >> '\(test.log)'", "hook_batch = 5")
    #expect(try await test.newsimport("hooks", "run", "--retry") == .init(status: 0, out: "", err: ""))
    #expect(Set(try test.objects().map { $0["event"] as? String }).count == 50)
    #expect(test.lines().count == 50)
    test.server.stop()
  }
}

/// Errors in the configuration of hooks.
@Suite struct HookConfigurationTests {
  @Test(arguments: [
    ("on_new = []", "region.world.on_new: no command; its first word is the program"),
    (
      "on_new = \"true\"",
      "region.world.on_new: this text does not fit; it is the list of the words of a command, such as [\"archive-it\", \"--json\"]"
    ),
    (
      "on_edited = [\"true\", 1]",
      "region.world.on_edited: a value of type integer does not fit; it is the list of the words of a command, such as [\"archive-it\", \"--json\"]"
    ),
    ("hook_batch = 0", "region.world.hook_batch: 0 is not a number from 1 to 1000"),
    ("hook_timeout = 0", "region.world.hook_timeout: 0 s is out of range; it must be from 1 s to 1 d"),
  ])
  func `a wrong value is named with its place`(line: String, message: String) async throws {
    let newsimport = try CommandRun()
    let path = try newsimport.folder.write(".config/newsimport/config.toml", "[region.world]\n\(line)\n".utf8)
    let result = try await newsimport("config", "check")
    #expect(result.status == 78 && result.err == "newsimport: \(path): \(message)\n")
  }
}
