import Foundation
import LoopbackServer
import NewsConfiguration
import TestSupport
import Testing

/// The output for programs is a contract: the lines in Fixtures/output, which `make golden` writes again.
@Suite struct MachineOutputTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer

  private static let folder = Repository.fixtures.appending(path: "output")

  private static let feed = """
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
    <channel><title>The "Daily" & more</title><link>https://daily.example.org/</link><ttl>60</ttl><language>en</language>
    <item><guid>one</guid><title>Storm closes &#27;Channel ports</title><link>https://daily.example.org/1</link>
    <pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate><dc:creator>Ann Sailor</dc:creator><category>weather</category>
    <enclosure url="https://daily.example.org/1.mp3" type="audio/mpeg" length="1204"/>
    <description>Short.</description><content:encoded>&lt;p>All \u{2028}ferries&lt;/p></content:encoded></item>
    <item><title>Without a guid</title><pubDate>Tue, 02 Feb 2010 17:23:16 +0000</pubDate></item>
    </channel></rss>
    """

  private static func list(_ known: String) -> String {
    """
    <opml version="2.0"><body>
    <outline text="world"><outline xmlUrl="\(known)"/><outline xmlUrl="ftp://a.example/"/></outline>
    <outline text="tech"><outline xmlUrl="http://b.example/1"/><outline xmlUrl="http://b.example/2"/></outline>
    <outline text="old"><outline xmlUrl="gopher://c.example/"/></outline>
    </body></opml>
    """
  }

  init() async throws {
    newsimport = try CommandRun()
    server = try LoopbackHTTPServer { request in
      request.path == "/feed" ? .ok(Self.feed) : .status(404, "Not Found")
    }
    _ = try await newsimport("region", "add", "world", server.url("/feed"), server.url("/gone"))
  }

  /// The values that differ between runs, replaced by their kinds.
  private func settled(_ text: String) -> String {
    text.replacing(server.url("/"), with: "http://feeds.example/")
      .replacing(newsimport.store, with: "news.sqlite").replacing(newsimport.folder.path, with: "folder")
      .replacing(#/"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"/#, with: "\"NOW\"")
      .replacing(
        #/"(first_byte_ms|total_ms|bytes|bytes_before|bytes_per_day|log_bytes|free_bytes|version|sequence)":(?:\d+|null)/#
      ) {
        "\"\($0.output.1)\":0"
      }
      .replacing("newsimport/\(Version.number)", with: "newsimport/VERSION")
      .replacing(#/"token":"[^"]+"/#, with: "\"token\":\"TOKEN\"")
      .replacing(#/due 20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/#, with: "due NOW")
      .replacing(#/[\d,]+ times its publishing interval/#, with: "9 times its publishing interval")
  }

  private func check(_ name: String, _ arguments: [String], status: Int32 = 0) async throws {
    let result = try await newsimport.run(arguments)
    #expect(result.status == status, "\(name): \(result.err)")
    let lines = settled(result.out)
    let file = Self.folder.appending(path: "\(name).jsonl")
    if ProcessInfo.processInfo.environment["NEWSIMPORT_GOLDEN"] != nil {
      let before = (try? String(contentsOf: file, encoding: .utf8)).map(Self.fields) ?? []
      let lost = before.subtracting(Self.fields(of: lines)).sorted()
      try #require(
        lost.isEmpty, "\(name): without \(lost) it is another version of the output, see Version.output")
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(lines.utf8).write(to: file)
    }
    #expect(lines == (try String(contentsOf: file, encoding: .utf8)), "\(name)")
    for line in lines.split(separator: "\n") {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: Any], "\(name): \(line)")
    }
  }

  /// The fields that appear in at least one line.
  private static func fields(of lines: String) -> Set<String> {
    lines.split(separator: "\n").reduce(into: []) { fields, line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      fields.formUnion((object ?? [:]).keys)
    }
  }

  /// The rows of the reference's table with the fields of a golden file, if its name is not the command's.
  private static let rows = [
    "changes": ["changes", "list"],
    "discover": ["region add --check"],
    "list-all-fields": ["list"],
    "search": ["search", "list"], "show": ["show", "list"],
  ]

  @Test func `the reference names every field`() throws {
    server.stop()
    let reference = try String(
      contentsOf: Self.folder.deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "docs/machine-output.md"), encoding: .utf8)
    let lines = reference.split(separator: "\n")
    // The output of parse has its own format, and sql prints the requested columns.
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
      $0.hasSuffix(".jsonl") && $0 != "parse.jsonl" && $0 != "sql.jsonl"
    }
    #expect(files.count > 20)
    for file in files {
      let name = String(file.dropLast(6))
      let commands = Self.rows[name] ?? [name.replacing("-", with: " ")]
      let named = commands.flatMap { command -> [Substring] in
        let start = command.contains("--json") ? "| `\(command)` |" : "| `\(command) --json` |"
        return lines.filter { $0.hasPrefix(start) }.flatMap { $0.split(separator: "`") }
      }
      let fields = Self.fields(
        of: try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8))
      #expect(fields.filter { !named.contains(Substring($0)) }.isEmpty, "\(name)")
    }
  }

  @Test func `the golden files have the version of the program`() async throws {
    let version = try await newsimport("--version").out
    #expect(version.hasSuffix("\nJSON lines, version 3\n"))
    server.stop()
  }

  @Test func `the JSON lines of every command match the golden files`() async throws {
    try await check("fetch", ["fetch", "world", "--json", "--jobs", "1"], status: 1)
    try await check("list", ["list", "world", "--json"])
    try await check("mark", ["mark", "starred", "1", "--json"])
    _ = try await newsimport("mark", "read", "2")
    try await check(
      "list-all-fields",
      [
        "list", "world", "--json", "--fields",
        "id,guid,feed,title,url,published,modified,authors,tags,summary,content_html,attachments,image,language,imported,edits,read,starred",
      ])
    try await check("changes", ["changes", "--json", "--marks"])
    try await check("search", ["search", "ferries OR guid", "--json"])
    try await check("prune", ["prune", "--keep-last", "1", "--dry-run", "--json"])
    try await check("region-list", ["region", "list", "--json"])
    try await check("feed-list", ["feed", "list", "world", "--json"])
    try await check("explain", ["explain", server.url("/feed"), "--json"])
    try await check("diff", ["diff", "1", "--json"])
    try await check("doctor", ["doctor", "--json"])
    try await check("sql", ["sql", "SELECT title, edits, url, imported FROM articles ORDER BY id", "--json"])
    try await check("store-info", ["store", "info", "--json"])
    try await check("store-check", ["store", "check", "--json"])
    let copy = newsimport.folder.file("copy.sqlite")
    try await check("store-backup", ["store", "backup", copy, "--json"])
    let moved = newsimport.folder.file("moved.sqlite")
    try await check("store-copy", ["store", "copy", newsimport.store, moved, "--json"])
    try await check("store-vacuum", ["store", "vacuum", "--json"])
    _ = try await newsimport("store", "attach", copy, "--name", "archive")
    try await check("store-list", ["store", "list", "--json"])
    _ = try await newsimport("store", "detach", "archive")
    try await check("stats", ["stats", "--json"])
    try await check("show", ["show", "1", "--json"])
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml", "[fetch]\njobs = 8\n[region.wurld]\ninterval = \"1h\"\n".utf8)
    try await check("config-check", ["config", "check", "--json"])
    let addresses = [server.url("/feed"), server.url("/gone")]
    try await check("discover", ["region", "add", "found", "--json", "--discover"] + addresses, status: 1)
    let list = try newsimport.folder.write("list.opml", Self.list(server.url("/feed")).utf8)
    try await check("opml-import", ["opml", "import", list, "--json"])
    let file = try newsimport.folder.write("feed.xml", Self.feed.utf8)
    try await check("parse", ["parse", file])
    try await check("import", ["import", "--feed", server.url("/feed"), "--json", file])
    server.stop()
  }
}
