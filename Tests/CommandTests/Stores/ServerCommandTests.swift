import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import PostgreSQLStore
import TestSupport
import Testing
import Threading

/// Commands with a store on a PostgreSQL server.
@Suite(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
struct ServerCommandTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  private let titles = Locked(["One", "Two"])

  init() throws {
    newsimport = try CommandRun(onServer: true)
    let titles = titles
    server = try LoopbackHTTPServer { request in
      request.path == "/gone"
        ? .status(404, "Not Found")
        : .ok(TestFeed.rss(titles.withLock { $0 }.enumerated().map { ("guid-\($0)", $1) }))
    }
  }

  private var feed: String { server.url("/feed") }

  /// The address of the store with other parameters.
  private func address(_ parameters: String) -> String { newsimport.store + "&" + parameters }

  // MARK: The same as in a file

  @Test func `commands print the same bytes as with a store in a file`() async throws {
    defer { server.stop() }
    let file = try CommandRun(onServer: false)
    let list = try newsimport.folder.write(
      "list.opml",
      "<opml version='2.0'><body><outline text='tech' xmlUrl='\(server.url("/tech"))'/></body></opml>".utf8)
    let document = try newsimport.folder.write("old.xml", TestFeed.rss([("old", "Old")]).utf8)
    let runs: [[String]] = [
      ["list"], ["fetch", "--all"], ["region", "add", "world", feed, server.url("/gone")],
      ["import", document, "--feed", feed], ["fetch", "world"], ["opml", "import", list],
      ["fetch", "imported", "--json"],
      ["fetch", "world", "-v"], ["list"],
      ["list", "--json"], ["list", "world", "--format", "csv"], ["list", "--since", "1d"], ["show", "1"],
      ["show", "1", "--json"],
      ["show", "99"], ["diff", "1"], ["mark", "read", "1"], ["mark", "starred", "2"], ["list", "--starred"],
      ["list", "--unread"], ["region", "list"],
      ["region", "rename", "imported", "science"],
      ["feed", "list"], ["feed", "list", "--json"], ["explain", feed, "--json"],
      ["feed", "rename", feed, "--title", "Mine"],
      ["opml", "export"], ["export", "world"], ["export", "--format", "rss"],
      ["export", "--format", "jsonfeed"],
      ["explain", feed], ["changes"], ["changes", "--json"],
      ["changes", "--consumer", "mail"], ["changes", "--list"],
      ["config", "check"], ["prune", "--keep-last", "1", "--dry-run"],
      ["prune", "--keep-last", "1", "--yes"], ["list"],
      ["hooks", "status"], ["region", "remove", "science", "--yes"],
      ["feed", "remove", server.url("/gone"), "--yes"],
      ["feed", "list"], ["store", "list"], ["store", "detach", "x"],
      ["search", "three"], ["search", "again", "--json"],
      ["search", "title:tw*", "--format", "csv", "--fields", "id,snippet"],
      ["search", "nothing"], ["search", "(one"], ["list", "--match", "t* -two"],
      ["export", "--match", "three OR one"],
      ["list", "--match", "NOT x"],
    ]
    for (step, arguments) in runs.enumerated() {
      if arguments == ["list"], step > 0 { titles.withLock { $0 = ["One", "Two, again", "Three"] } }
      let (expected, found) = (try await file.run(arguments), try await newsimport.run(arguments))
      #expect(settled(found) == settled(expected), "\(arguments)")
      if arguments == ["list"] {
        for run in [file, newsimport] { _ = try await run("fetch", "world", "-q") }
      }
    }
  }

  /// Replaces what differs from store to store.
  private func settled(_ result: CommandRun.Result) -> CommandRun.Result {
    func settled(_ text: String) -> String {
      EditedFeed.settled(text).replacing(newsimport.store, with: "STORE")
        .replacing(#/\S*news\.db/#, with: "STORE").replacing(#/newsimport-test-[-0-9A-F]+/#, with: "FOLDER")
        .replacing(#/_ms":\d+/#, with: "_ms\":N").replacing(#/\b\d+\.\d+-[0-9a-f]{8}\b/#, with: "TOKEN")
        .replacing(#/\(in [^)]*\)/#, with: "(in TIME)")
        .replacing(#/sequence \d+/#, with: "sequence N").replacing(#/\d\d:\d\d:\d\d/#, with: "TIME")
    }
    return .init(status: result.status, out: settled(result.out), err: settled(result.err))
  }

  // MARK: Creating

  @Test func `only a command that adds something makes tables`() async throws {
    for arguments in [
      ["list"], ["fetch", "--all"], ["fetch", "--due"], ["watch"], ["changes"], ["mark", "read", "1"],
    ] {
      #expect(
        try await newsimport.run(arguments)
          == .init(
            status: 66, out: "",
            err:
              "newsimport: \(newsimport.store): no such store; newsimport region add NAME URL creates one\n"),
        "\(arguments)")
    }
    #expect(
      try newsimport.rows("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
        == ["0"])
    #expect(try await newsimport("region", "add", "world", feed).status == 0)
    #expect(try await newsimport("region", "list").out.hasPrefix("world"))
    server.stop()
  }

  @Test(arguments: [
    (
      ["store", "attach", "x"],
      "store attach does not work with a store on a server: the attached file would be on one machine only; copy its articles with newsimport list --all --copies --json --full and newsimport import"
    ),
    (
      ["archive", "--before", "1d", "--to", "x"],
      "archive does not work with a store on a server: the file would be on one machine only; newsimport prune deletes old articles, newsimport list --all --copies --json --full writes them first"
    ),
    (["store", "check", "--repair", "x"], "store check --repair does not work with a store on a server"),
  ]) func `commands about files are refused with the reason, and make nothing`(
    arguments: [String], cause: String
  )
    async throws
  {
    #expect(
      try await newsimport.run(arguments)
        == .init(status: 64, out: "", err: "newsimport: \(newsimport.store): \(cause)\n"))
    server.stop()
  }

  @Test(arguments: [
    ["list"], ["fetch", "--due"], ["region", "add", "tech", "http://127.0.0.1:9/"], ["store", "check"],
    ["stats"],
    ["sql", "SELECT 1"], ["store", "backup", "copy.sqlite"], ["changes"],
  ]) func `a store of another version is refused, and the way out is named`(arguments: [String]) async throws
  {
    defer { server.stop() }
    #expect(try await newsimport("region", "add", "world", feed).status == 0)
    let known = NewsModel.model.version
    let refusals = [
      (
        -1,
        """
        the store has version \(known - 1), older than this program's \(known), and a store on a server is not converted; copy it to \
        a file with the newsimport that made it (store copy), and the file to an empty schema with this one
        """
      ),
      (1, "the store has version \(known + 1), newer than this program's \(known); use a newer newsimport"),
    ]
    for (step, cause) in refusals {
      _ = try newsimport.rows("UPDATE persistent_store SET version = \(known + step)")
      #expect(
        try await newsimport.run(arguments)
          == .init(status: 65, out: "", err: "newsimport: \(newsimport.store): \(cause)\n"))
    }
    #expect(try newsimport.rows("SELECT count(*) FROM region") == ["1"])
  }

  // MARK: Care

  @Test func `info, check and vacuum look at the tables`() async throws {
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world", "-q")
    let info = try await newsimport("store", "info")
    #expect(
      info.out.contains(newsimport.store) && info.out.contains(" 1 region, 1 feed, 2 articles\n"), "\(info)")
    #expect(try await newsimport("store", "info", "--json").out.contains("\"log_bytes\":null"))
    let vacuum = try await newsimport("store", "vacuum")
    #expect(vacuum.status == 0 && vacuum.out.contains(" -> ") && vacuum.err == "")
    let check = try await newsimport("store", "check")
    #expect(check.status == 0 && check.out.hasPrefix("no damage in ") && check.err == "", "\(check)")
  }

  @Test(arguments: [
    (
      "ALTER TABLE article DROP CONSTRAINT article_feed_id_fkey; UPDATE article SET feed_id = 9",
      [
        "  row 1 of article refers to a missing feed",
        "  the foreign key of feed_id of the table article is missing",
      ]
    ),
    ("SELECT setval('article_id_seq', 1)", ["  the next key of the table article is not after row 2"]),
    ("DROP TABLE star CASCADE", ["  the table star is missing"]),
    (
      "ALTER TABLE article DROP COLUMN image CASCADE",
      ["  the columns of the table article are not those of version 17"]
    ),
    (
      "DELETE FROM persistent_history WHERE token = 2", ["  transaction 2 of the history is missing"]
    ),
    (
      "UPDATE persistent_history SET changes = 'x' WHERE token = 2",
      ["  transaction 2 of the history cannot be read"]
    ),
    (
      "DROP TRIGGER article_version_update ON article",
      ["  the trigger article_version_update, which keeps old values"]
    ),
    (
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'article_feed_id_md5_idx'::regclass",
      [
        "  the index article_feed_id_md5_idx is invalid: REINDEX INDEX makes it again",
        "  the index article_feed_id_guid is missing",
      ]
    ),
  ]) func `a check finds what is wrong, and changes nothing`(change: String, findings: [String]) async throws
  {
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world", "-q")
    _ = try await newsimport("mark", "read", "1")
    _ = try newsimport.rows(change)
    for _ in 0..<2 {
      let check = try await newsimport("store", "check")
      #expect(check.status == 65, "\(check)")
      for line in findings { #expect(check.out.contains(line), "\(check.out)") }
      #expect(
        check.err == "newsimport: \(newsimport.store): the store is damaged; restore a backup\n")
    }
  }

  @Test(arguments: [
    ("SELECT 1 FROM artikles", #"relation "artikles" does not exist"#),
    (
      "SELECT nme FROM regions",
      #"column "nme" does not exist (Perhaps you meant to reference the column "regions.name".)"#
    ),
    ("SELECT x", #"column "x" does not exist"#),
    ("DELETE FROM articles", #"cannot delete from view "articles"; the store is only read here"#),
    (" ; ", "there is no statement"),
  ]) func `a wrong query is reported with its cause`(statement: String, message: String)
    async throws
  {
    _ = try await newsimport("region", "add", "world", feed)
    #expect(
      try await newsimport("sql", statement)
        == .init(status: 64, out: "", err: "newsimport: sql: \(message)\n"))
    server.stop()
  }

  @Test func `a query that takes longer than the role may is told so`() async throws {
    _ = try await newsimport("region", "add", "world", feed)
    let address = newsimport.store.replacing("options=", with: "options=-cstatement_timeout%3D500%20")
    #expect(
      try await newsimport(
        "sql", "SELECT count(*) FROM generate_series(1, 1000000000)", "--store", address)
        == .init(
          status: 64, out: "",
          err: "newsimport: sql: it takes longer than the role's statement_timeout of 500 ms\n"
        ))
    server.stop()
  }

  @Test(arguments: [
    ["store", "check"], ["changes", "--since", "0"], ["list", "world"], ["fetch", "world", "-q"], ["doctor"],
    ["store", "vacuum"], ["search", "title"],
  ])
  func `a limit of the role is for queries of the user, and not for the program`(command: [String])
    async throws
  {
    _ = try await newsimport("region", "add", "world", feed)
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
    let address = newsimport.store.replacing("options=", with: "options=-cstatement_timeout%3D1ms%20")
    // A busy server may take longer than that for the statement that lifts the limit.
    var result = try await newsimport.run(command + ["--store", address])
    for _ in 1...4 where result.status == 73 {
      result = try await newsimport.run(command + ["--store", address])
    }
    #expect(result.status == 0, "\(result)")
    server.stop()
  }

  // MARK: The address

  @Test func `the password of the address is printed nowhere`() async throws {
    let secret = newsimport.store.replacing("@/", with: ":s%45cret@/") + "&password=s%45cret"
    let run = { (arguments: [String]) in
      try await newsimport.run(arguments, variables: ["NEWSIMPORT_STORE": secret])
    }
    for arguments in [
      ["list"], ["region", "add", "world", feed], ["config", "check"],
      ["fetch", "world", "-v"],
      ["store", "info"], ["changes", "--since", "7.1-00000000"],
    ] {
      let result = try await run(arguments)
      #expect(!(result.out + result.err).contains("cret"), "\(arguments): \(result)")
    }
    server.stop()
  }

  private static let advice =
    "a store is a file, or an address such as postgresql://HOST/DATABASE; the name of such a file begins with ./"

  @Test(arguments: [
    ("postgresql:news", Self.advice),
    ("mysql://host/news", Self.advice),
    ("POSTGRESQL://host/news", "an address of a server begins with postgresql:// in small letters"),
    ("host=db.example password=secret", Self.advice),
    (" postgresql://me:secret@host/news", Self.advice),
    (
      "postgresql://me:se@cret@host/news",
      "the address of the server cannot be read; write special characters of a password as %XX"
    ),
    (
      "postgresql://me:secret@host:notaport/news",
      "the address of the server cannot be used: the port notaport is not a number from 1 to 65535"
    ),
    (
      "postgresql://a:1,b:70000/news",
      "the address of the server cannot be used: the port 70000 is not a number from 1 to 65535"
    ),
    (
      "postgresql:///news?host=a,b&port=1,2,3",
      "the address of the server cannot be used: host has 2 entries, and port has 3"
    ),
    (
      "postgresql:///news?host=a,b&hostaddr=127.0.0.1",
      "the address of the server cannot be used: host has 2 entries, and hostaddr has 1"
    ),
    (
      "postgresql:///news?connect_timeout=soon",
      "the address of the server cannot be used: connect_timeout is not a number: soon"
    ),
    (
      "postgresql://host/news?sslmode=bogus",
      #"the address of the server cannot be used: invalid sslmode value: "bogus""#
    ),
    (
      "postgresql:///news?service=no-such-service",
      #"the address of the server cannot be used: definition of service "no-such-service" not found"#
    ),
    ("postgresql://host/news?foo=1", #"invalid URI query parameter: "foo""#),
    (
      "postgresql://me:s%zzcret@host/news",
      "the address of the server cannot be read: invalid percent-encoded token; write special characters of a password as %XX"
    ),
    (
      "postgresql://me:se/cret@host/news",
      "the address of the server cannot be read; write special characters of a password as %XX"
    ),
  ])
  func `a wrong address is refused before anything is opened`(address: String, cause: String) async throws {
    #expect(
      try await newsimport("list", "--store", address)
        == .init(status: 64, out: "", err: "newsimport: --store: \(cause); see newsimport list --help\n"))
    let run = try await newsimport.run(["list"], variables: ["NEWSIMPORT_STORE": address])
    #expect(
      run
        == .init(
          status: 64, out: "", err: "newsimport: NEWSIMPORT_STORE: \(cause); see newsimport list --help\n"))
    server.stop()
  }

  // MARK: Faults

  private func failure(_ address: String, _ arguments: [String] = ["list"]) async throws -> (
    status: Int32, line: String
  ) {
    let result = try await newsimport.run(arguments + ["--store", address])
    #expect(result.out == "" && result.err.split(separator: "\n").count == 1, "\(result)")
    return (result.status, result.err)
  }

  @Test func `a server that cannot be reached, and a database that is missing, are named with the next step`()
    async throws
  {
    let unreachable = try await failure("postgresql://me:secret@127.0.0.1:1/news")
    #expect(unreachable.status == 75)
    #expect(
      unreachable.line
        == "newsimport: postgresql://me@127.0.0.1:1/news: connection to server at \"127.0.0.1\", port 1 failed: Connection refused; "
        + "check the address, and whether the server runs; try again later\n")
    let database = try await failure(address("dbname=nosuch"))
    #expect(
      database.status == 73
        && database.line.hasSuffix(
          "\"nosuch\" does not exist; create it with createdb, or name another one\n"),
      "\(database)")
    let user = try await failure(address("user=nosuch"))
    #expect(
      user.status == 73
        && user.line.hasSuffix(
          "\"nosuch\" does not exist; name a user who may connect, as in postgresql://USER@HOST/DATABASE\n"),
      "\(user)")
    server.stop()
  }

  @Test func `a user without the right to make tables is told the statement that gives it`() async throws {
    let schema = try #require(newsimport.schema)
    let name = try #require(schema.rows("SELECT current_schema()").first)
    _ = try schema.rows("CREATE ROLE \(name) LOGIN; GRANT USAGE ON SCHEMA \(name) TO \(name)")
    defer { _ = try? schema.rows("DROP OWNED BY \(name); DROP ROLE \(name)") }
    let refused = try await failure(address("user=\(name)"), ["region", "add", "world", feed])
    #expect(refused.status == 73)
    let grants = { (onSchema: String, rights: String, kinds: [String]) in
      "; the owner can allow it: GRANT \(onSchema) ON SCHEMA \(name) TO \(name)"
        + kinds.map { "; GRANT \(rights) ON ALL \($0) IN SCHEMA \(name) TO \(name)" }.joined() + "\n"
    }
    let all = grants("ALL", "ALL", ["TABLES", "SEQUENCES"])
    #expect(refused.line.hasSuffix(": permission denied for schema \(name)\(all)"), "\(refused)")
    _ = try await newsimport("region", "add", "world", feed)
    let reading = try await failure(address("user=\(name)"))
    #expect(
      reading.status == 73
        && reading.line.hasSuffix(
          ": permission denied for table persistent_store" + grants("USAGE", "SELECT", ["TABLES"])),
      "\(reading)")
    _ = try schema.rows("GRANT SELECT ON ALL TABLES IN SCHEMA \(name) TO \(name)")
    let writing = try await failure(address("user=\(name)"), ["fetch", "world"])
    #expect(
      writing.status == 73
        && writing.line.contains(": permission denied for table ")
        && writing.line.hasSuffix(
          "; to write, GRANT ALL on tables and sequences is needed; to read, GRANT SELECT on tables; and to copy, also on sequences\n"
        ),
      "\(writing)")
    server.stop()
  }

  @Test func `a user without the right to use the schema is told so, not that there is no store`()
    async throws
  {
    let schema = try #require(newsimport.schema)
    let name = try #require(schema.rows("SELECT current_schema()").first)
    _ = try await newsimport("region", "add", "world", feed)
    _ = try schema.rows(
      "CREATE ROLE \(name) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA \(name) TO \(name)")
    defer { _ = try? schema.rows("DROP OWNED BY \(name); DROP ROLE \(name)") }
    let refused = try await failure(address("user=\(name)"))
    #expect(
      refused.status == 73
        && refused.line.contains(
          ": permission denied for schema \(name); the owner can allow it: GRANT USAGE ON SCHEMA \(name) TO \(name); "
        ), "\(refused)")
    server.stop()
  }

  @Test func `a user who only reads searches an index that another user has made`() async throws {
    let schema = try #require(newsimport.schema)
    let name = try #require(schema.rows("SELECT current_schema()").first)
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world")
    _ = try schema.rows(
      "CREATE ROLE \(name) LOGIN; GRANT USAGE ON SCHEMA \(name) TO \(name); "
        + "GRANT SELECT ON ALL TABLES IN SCHEMA \(name) TO \(name)")
    defer { _ = try? schema.rows("DROP OWNED BY \(name); DROP ROLE \(name)") }
    let early = try await failure(address("user=\(name)"), ["search", "one"])
    #expect(
      early.status == 73
        && early.line.hasSuffix(
          ": the search index cannot be written; run newsimport store index as a user who may write the store's tables\n"
        ), "\(early)")
    _ = try await newsimport("store", "index")
    let found = try await newsimport.run(["search", "one", "--store", address("user=\(name)")])
    #expect(found.status == 0 && found.err == "" && found.out.contains("One"), "\(found)")
    server.stop()
  }

  @Test func `a server that accepts no changes is read, and not written`() async throws {
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world")
    // As a standby does, but for its own log.
    let standby = newsimport.store.replacing(
      "options=", with: "options=-cdefault_transaction_read_only%3Don%20")
    #expect(try await newsimport("list", "--store", standby).out.contains("One"))
    let refused = try await failure(standby, ["fetch", "world"])
    #expect(
      refused.status == 73 && refused.line.contains(": the server accepts no changes (a standby, "),
      "\(refused)")
    server.stop()
  }

  @Test func `tables of another program are left alone`() async throws {
    try newsimport.execute("CREATE TABLE article (name text)")
    let refused = try await failure(newsimport.store, ["region", "add", "world", feed])
    #expect(
      refused.status == 73
        && refused.line.hasSuffix(
          "has a table article of another program; name another schema in search_path\n"),
      "\(refused)")
    #expect(
      try newsimport.rows("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == ["1"])
    server.stop()
  }

  @Test func `a newer store is refused`() async throws {
    _ = try await newsimport("region", "add", "world", feed)
    try newsimport.execute("UPDATE persistent_store SET version = version + 1")
    for arguments in [["list"], ["fetch", "world"]] {
      let refused = try await failure(newsimport.store, arguments)
      #expect(refused.status == 65 && refused.line.hasSuffix("; use a newer newsimport\n"), "\(refused)")
    }
    server.stop()
  }

  // MARK: Other processes

  @Test func `a fetch says on a terminal that it waits for the server`() async throws {
    let schema = try #require(newsimport.schema)
    let relay = try Relay()
    let publisher = try LoopbackHTTPServer { _ in
      relay.stop()
      return .ok(TestFeed.rss([("one", "One")]))
    }
    _ = try await newsimport("region", "add", "other", publisher.url("/"))
    let terminal = try Terminal(columns: 100)
    let result = try await newsimport.run(
      ["fetch", "other"], on: terminal, variables: ["NEWSIMPORT_STORE": relay.address(of: schema).text]
    ) { _ in
      await terminal.wait(for: "newsimport: waiting for the server of the store")
      try relay.start()
    }
    #expect(result.status == 0, "\(result)")
    #expect(try newsimport.rows("SELECT count(*)::text FROM article") == ["1"])
    publisher.stop()
    server.stop()
  }

  @Test func `a list that loses the server ends with the status for that`() async throws {
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world", "-q")
    let schema = try #require(newsimport.schema)
    let relay = try Relay()
    let address = try relay.address(of: schema).text
    var statuses: Set<Int32> = []
    for request in 1...12 {
      relay.cut(atRequest: request, .before)
      let result = try await newsimport.run(["list", "--all", "--json", "--full", "--store", address])
      #expect(result.status == 0 || result.status == 75, "\(result)")
      statuses.insert(result.status)
    }
    #expect(statuses.contains(75))
    server.stop()
  }

  @Test func `watch ends when the store is made anew`() async throws {
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world")
    let (output, errors) = (newsimport.folder.file("out"), newsimport.folder.file("err"))
    @Sendable func text(_ path: String) -> String {
      (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
    let result = try await Command.run(
      "/bin/sh", ["-c", "exec \(Command.builtProducts)/newsimport watch > \(output) 2> \(errors)"],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path, "TZ": "UTC"]
    ) { _ in
      while !text(output).contains("Three") {
        titles.withLock { $0.append("Three") }
        _ = try await newsimport("fetch", "world", "-q")
      }
      let tables = try newsimport.rows(
        "SELECT string_agg(quote_ident(relname), ', ') FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
      )
      try newsimport.execute(
        "DROP TABLE \(tables[0]) CASCADE; DROP FUNCTION article_version_update, article_version_delete")
      _ = try await newsimport("region", "add", "world", feed)
    }
    #expect(result.status == 66)
    #expect(
      text(errors).hasSuffix("\(newsimport.store): the store was removed or replaced\n"), "\(text(errors))")
    server.stop()
  }

  @Test func `the command of a killed run keeps the hook to itself`() async throws {
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world", "-q")
    let (begun, end) = (newsimport.folder.file("begun"), newsimport.folder.file("end"))
    let script = try newsimport.folder.write(
      "hook.sh", "echo x >> '\(begun)'\nwhile [ ! -e '\(end)' ]; do sleep 0.05; done\n".utf8)
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml", "[region.world]\non_new = [\"/bin/sh\", \"\(script)\"]\n".utf8)
    _ = try await newsimport("fetch", "world", "-q")
    titles.withLock { $0.append("Three") }
    let killed = try await newsimport.run(["fetch", "world", "-q"]) { signal in
      try await until("the command's start", { FileManager.default.fileExists(atPath: begun) })
      signal(SIGKILL)
    }
    #expect(killed.status == -SIGKILL)
    let busy = try await newsimport("hooks", "run")
    #expect(
      busy
        == .init(status: 75, out: "", err: "newsimport: hook region.world.on_new: another process runs it\n"))
    _ = try newsimport.folder.write("end", [])
    var last = busy
    try await until("the end of the command", { last.status != 75 }) {
      last = try await newsimport("hooks", "run")
    }
    #expect(last == .init(status: 0, out: "", err: ""))
    #expect(try String(contentsOfFile: begun, encoding: .utf8) == "x\nx\n")
    server.stop()
  }
}
