import Foundation
import GRDB
import LoopbackServer
import Glibc
import Synchronization
import TestSupport
import Testing

/// Files that commands write, and stores and descriptors that they must leave alone.
@Suite struct WrittenFileTests {
  private let newsimport: CommandRun

  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 2)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func kind(_ path: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func shell(_ script: String) async throws -> Command.Result {
    let run = "run() { NEWSIMPORT_STORE='\(newsimport.store)' '\(Command.builtProducts)/newsimport' \"$@\"; }"
    return try await Command.run("bash", ["-c", "\(run); \(script)"])
  }

  @Test func `metrics replace the target of a link, but nothing that is not a regular file`() async throws {
    let target = try newsimport.folder.write("target.prom", "old".utf8)
    let link = newsimport.folder.file("link.prom")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target.prom")
    let result = try await newsimport("fetch", "--due", "-q", "--metrics", link)
    #expect(result.status == 0)
    #expect(try kind(link) == .typeSymbolicLink)
    #expect(try String(contentsOfFile: target, encoding: .utf8).hasSuffix("# EOF\n"))
    let queue = newsimport.folder.file("queue")
    #expect(mkfifo(queue, 0o600) == 0)
    // A run with failures reports them first.
    _ = try await newsimport("region", "add", "bad", "http://127.0.0.1:1/")
    let failed = try await newsimport("fetch", "bad", "-q", "--metrics", queue)
    #expect(failed.status == 69 && failed.err.split(separator: "\n").count == 2)
    #expect(failed.err.contains("newsimport: \(queue): not a file that can be replaced"))
    let refused = try await newsimport("fetch", "--due", "-q", "--metrics", queue)
    #expect(refused.status == 73 && refused.err.contains("not a file that can be replaced"))
    #expect(try await newsimport("fetch", "--due", "--metrics", "-").status == 64)
    // A run that could not begin writes its metrics as well.
    let missing = newsimport.folder.file("missing.prom")
    #expect(try await newsimport("fetch", "wrld", "--metrics", missing).status == 66)
    #expect(try String(contentsOfFile: missing, encoding: .utf8).contains("newsimport_run_exit_status 66\n"))
    #expect(try await newsimport("store", "backup", "-").status == 64)
  }

  @Test func `a new page obeys the user's mask, and a replaced page keeps its mode`()
    async throws
  {
    let page = newsimport.folder.file("page.html")
    #expect(try await shell("umask 027; run export world -o '\(page)'").status == 0)
    #expect(try mode(page) == 0o640)
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: page)
    #expect(try await shell("run export world -o '\(page)'").status == 0)
    #expect(try mode(page) == 0o664)
  }

  @Test func `a file name of one character is written, and a folder is refused`() async throws {
    let folder = newsimport.folder.path
    let result = try await shell(
      "cd '\(folder)' && run export world -o z && run store backup b && run fetch --due -q --metrics m && ls z b m"
    )
    #expect(result.status == 0 && result.out.hasSuffix("b\nm\nz\n"))
    let refused = try await shell("cd '\(folder)' && run export world -o . ; run region list --store .")
    #expect(refused.status == 73 && refused.err.split(separator: "\n").count == 2)
    #expect(try await shell("cd '\(folder)' && run region add new http://127.0.0.1:9/ --store x").status == 0)
  }

  @Test func `a standard output that cannot be written is reported`() async throws {
    let result = try await shell("run list world >&-")
    let message = "newsimport: standard output: cannot be written"
    #expect(result.status == 74 && result.err == "\(message): Bad file descriptor\n")
    // The same holds if feeds fail: the server has stopped.
    let fetch = try await shell("run fetch world --json > /dev/full")
    let full = "\(message): No space left on device; what was saved is kept"
    #expect(fetch.status == 74 && fetch.err.contains(full))
  }

  @Test(arguments: [
    ["list", "world"], ["show", "1"], ["region", "list"], ["feed", "list", "world"],
    ["explain", "127.0.0.1"], ["opml", "export"], ["config", "check"], ["doctor"],
  ])
  func `commands that only read do not wait for a writer`(arguments: [String]) async throws {
    let status = try await DatabaseQueue(path: newsimport.store).writeWithoutTransaction { db in
      try db.beginTransaction(.immediate)
      defer { try? db.rollback() }
      let done = DispatchSemaphore(value: 0)
      let status = Atomic<Int>(-1)
      let newsimport = newsimport
      Task.detached {
        let result = try? await newsimport.run(arguments)
        status.store(Int(result?.status ?? -1), ordering: .sequentiallyConsistent)
        done.signal()
      }
      // A command that waited for the lock would give up after a while, with another status.
      _ = done.wait(timeout: .now() + 600)
      return status.load(ordering: .sequentiallyConsistent)
    }
    #expect(status == 0)
  }

  @Test func `a list of feeds sets their titles and pages until the first fetch`() async throws {
    let list = """
      <opml version="2.0"><body><outline text="News of &quot;A&quot;" xmlUrl="http://127.0.0.1:9/a" \
      htmlUrl="http://a.example/"/><outline text="http://127.0.0.1:9/b" xmlUrl="http://127.0.0.1:9/b"/></body></opml>
      """
    _ = try await newsimport("opml", "import", "--region", "new", "-", input: list)
    let result = try await newsimport(
      "sql", "SELECT title, home_page_url FROM feeds WHERE url LIKE '%:9/%' ORDER BY url")
    #expect(result.out == "title\thome_page_url\nNews of \"A\"\thttp://a.example/\n\t\n")
  }

  @Test func `an unknown field is reported with a suggestion`() async throws {
    let result = try await newsimport("list", "world", "--fields", "titel")
    #expect(
      result.status == 64
        && result.err.contains("'titel' is not a field; did you mean title? the fields are id, "))
  }

  @Test(arguments: [12, 16, 23])
  func `too few open files are reported, and charge no feed`(count: Int) async throws {
    let result = try await shell("ulimit -n \(count); run fetch world")
    #expect(
      result
        == .init(
          status: 71, out: "",
          err:
            "newsimport: only \(count) files may be open at once, and 24 are needed; raise the limit (ulimit -n)\n"
        ))
    let failures = try await newsimport("sql", "SELECT sum(failures) FROM feeds", "--format", "tsv")
    #expect(failures.out.hasSuffix("\n0\n"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can start a program as another user"), arguments: [0, 4])
  func `a lack of threads is reported, and charges no feed`(count: Int) async throws {
    for path in [newsimport.folder.path, newsimport.store] { chmod(path, 0o777) }
    // A user that has no other processes. The folder of the build may be private, so the program is copied, by another process:
    // programs that other tests start at this moment would inherit the open copy.
    let program = newsimport.folder.file("newsimport")
    let script = """
      install -m 755 '\(Command.builtProducts)/newsimport' '\(program)'
      export NEWSIMPORT_STORE='\(newsimport.store)' HOME=/nonexistent
      setpriv --reuid 4242 --regid 4242 --clear-groups prlimit --nproc=\(count) '\(program)' fetch world
      """
    let result = try await Command.run("bash", ["-c", script])
    #expect(result.status == 71 && result.out.isEmpty)
    #expect(result.err.hasPrefix("newsimport: no thread can be created: "), "\(result.err)")
  }
}
