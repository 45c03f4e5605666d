import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// Commands in random order, over simulated time, on the feeds of publishers that change them at random. What the store, its
/// events, versions, lists and hooks have is compared with plain values (``SimulatedStore``).
///
/// `NEWSIMPORT_SEEDS=40..<80` selects other seeds, of which CI takes twelve in turn.
@Suite struct WholeRunsTests {
  private static var selected: [UInt64] {
    let bounds = (ProcessInfo.processInfo.environment["NEWSIMPORT_SEEDS"] ?? "")
      .components(separatedBy: "..<").compactMap { UInt64($0) }
    return bounds.count == 2 && bounds[0] < bounds[1] ? Array(bounds[0]..<bounds[1]) : seeds(8)
  }

  @Test(arguments: selected)
  func `a store has what a plain model has, whatever publishers and commands do`(seed: UInt64) async throws {
    var run = try await WholeRun(seed: seed)
    try await run.compareLongList()
    for _ in 0..<14 { try await run.step() }
    try await run.finish()
  }
}

/// One store with its publishers and its model.
private struct WholeRun {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  /// The documents that the server sends, by path.
  private let documents: Locked<[String: String]>
  private let seed: UInt64
  /// True if the list has more lines than an import reads together.
  private let isLong: Bool
  private var random: SeededGenerator
  private var feeds: [SimulatedFeed] = []
  private var model = SimulatedStore()
  /// The simulated time, in seconds after the real one. On a server, whose own clock decides, it is the publishers' time alone,
  /// and stays in the past.
  private var offset = CommandRun.isOnServer ? -300_000 : 0
  /// The token of the last events that were compared.
  private var token = "0"

  init(seed: UInt64) async throws {
    (self.seed, random) = (seed, SeededGenerator(seed: seed))
    newsimport = try CommandRun()
    let documents = Locked([String: String]())
    self.documents = documents
    server = try LoopbackHTTPServer { request in
      documents.withLock { $0[request.path] }.map { .ok($0) } ?? .status(404, "Not Found")
    }
    // Lists of more lines than an import reads together.
    let isLong = seed % 10 == 3
    self.isLong = isLong
    for number in 0..<2 {
      feeds.append(
        SimulatedFeed(
          name: "f\(number)", shown: isLong && number == 0 ? 600 : 8, items: isLong && number == 0 ? 520 : 4,
          at: now))
    }
    let hook = newsimport.folder.file("hook.sh")
    let script = """
      #!/bin/sh
      [ -e "$HOME/failing" ] && exit 1
      cat >> "$HOME/delivered"
      """
    _ = try newsimport.folder.write("hook.sh", script.utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: hook)
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml",
      "[region.world]\non_new = [\"\(hook)\"]\nhook_batch = 50\n".utf8)
    for feed in feeds { try await succeed("region", "add", "world", server.url("/\(feed.name)")) }
    for document in serve(\.document) { model.apply(document, runsHook: false) }
    try await succeed("fetch", "world", "-q")
  }

  private var now: Int { Int(Date.now.timeIntervalSince1970) + offset }

  // MARK: Commands

  private func call(_ arguments: [String], input: String = "") async throws -> CommandRun.Result {
    // A server's clock decides about stores on it.
    let clock = [
      "LD_PRELOAD": Command.builtProducts + "/libTestClock.so", "CLOCK_OFFSET": "\(offset)",
    ]
    return try await newsimport.run(arguments, input: input, variables: CommandRun.isOnServer ? [:] : clock)
  }

  @discardableResult
  private func succeed(_ arguments: String..., input: String = "") async throws -> [String] {
    let result = try await call(arguments, input: input)
    #expect(result.status == 0, "seed \(seed): \(arguments): \(result.err)")
    return result.out.split(separator: "\n").map(String.init)
  }

  private func objects(_ arguments: String...) async throws -> [[String: Any]] {
    let result = try await call(arguments)
    #expect(result.status == 0, "seed \(seed): \(arguments): \(result.err)")
    return try result.out.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  private func list() async throws -> [[String: Any]] {
    try await objects("list", "--all", "--json", "--full")
  }

  // MARK: Steps

  /// Changes the publishers, runs a random command, and compares the store with the model.
  mutating func step() async throws {
    offset += Int.random(in: 60...20_000, using: &random)
    for place in feeds.indices where Bool.random(using: &random) {
      feeds[place].change(at: now, using: &random)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0...4: try await fetch()
    case 5: try await importDocument()
    case 6: try await prune()
    case 7: try await pruneBesideFetch()
    case 8: try await mark()
    case 9: try setHookFailing(Bool.random(using: &random))
    case 10: try await importOwnList()
    default: try await fetchStale()
    }
    try await compare()
  }

  private mutating func serve(_ choose: (SimulatedFeed) -> SimulatedFeed.Document) -> [SimulatedFeed.Document]
  {
    let chosen = feeds.map(choose)
    documents.withLock { documents in
      for (feed, document) in zip(feeds, chosen) { documents["/\(feed.name)"] = document.text }
    }
    return chosen
  }

  private mutating func fetch() async throws {
    let served = serve(\.document)
    let status = try await call(["fetch", "world", "-q"]).status
    #expect([0, 1].contains(status), "seed \(seed): fetch ended with \(status)")
    for document in served { model.apply(document, runsHook: true) }
  }

  /// A mirror that lags behind.
  private mutating func fetchStale() async throws {
    let places = feeds.map { Int.random(in: 0..<$0.documents.count, using: &random) }
    var rest = places[...]
    let served = serve { $0.documents[rest.removeFirst()] }
    _ = try await call(["fetch", "world", "-q"])
    for document in served { model.apply(document, runsHook: true) }
  }

  /// A snapshot, perhaps an old one.
  private mutating func importDocument() async throws {
    let feed = feeds[Int.random(in: 0..<feeds.count, using: &random)]
    let document = feed.documents[Int.random(in: 0..<feed.documents.count, using: &random)]
    let result = try await call(
      ["import", "--feed", server.url("/\(feed.name)"), "-"], input: document.text)
    #expect([0, 1].contains(result.status), "seed \(seed): import: \(result.err)")
    model.apply(document, runsHook: false)
  }

  private mutating func importOwnList() async throws {
    let lines = try await call(["list", "--all", "--json", "--full"]).out
    _ = try await call(["import", "-"], input: lines)
  }

  private mutating func mark() async throws {
    guard let guid = model.articles.keys.sorted().randomElement(using: &random),
      let id = try await list().first(where: { $0["guid"] as? String == guid })?["id"] as? Int
    else { return }
    let (name, isSet) = [
      ("read", true), ("unread", false), ("starred", true), ("unstarred", false),
    ][Int.random(in: 0..<4, using: &random)]
    try await succeed("mark", name, "\(id)")
    if name.hasSuffix("read") { model.mark(guid, read: isSet) } else { model.mark(guid, starred: isSet) }
  }

  private func setHookFailing(_ isFailing: Bool) throws {
    let path = newsimport.folder.file("failing")
    if isFailing {
      _ = try newsimport.folder.write("failing", "".utf8)
    } else if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  private mutating func prune() async throws {
    let waiting = try model.hooked.subtracting(delivered())
    let kept = model.kept(last: 3, waiting: waiting)
    _ = try await call(["prune", "--keep-last", "3", "--yes"])
    model.remove(Set(model.articles.keys).subtracting(kept))
  }

  /// Which articles the deletion found is not known. It must leave those that no hook has got.
  private mutating func pruneBesideFetch() async throws {
    let served = serve(\.document)
    let starred = Set(model.articles.values.filter(\.isStarred).map(\.item.guid))
    async let fetching = call(["fetch", "world", "-q"])
    async let pruning = call(["prune", "--keep-last", "1", "--yes"])
    _ = try await (fetching, pruning)
    for document in served { model.apply(document, runsHook: true) }
    let stored = Set(try await list().compactMap { $0["guid"] as? String })
    let removed = Set(model.articles.keys).subtracting(stored)
    #expect(removed.isDisjoint(with: starred), "seed \(seed): prune deleted starred articles")
    let lost = try removed.intersection(model.hooked).subtracting(delivered())
    #expect(lost.isEmpty, "seed \(seed): prune deleted what waits for the hook: \(lost)")
    model.remove(removed)
  }

  // MARK: Comparisons

  /// The guids that the hook has got.
  private func delivered() throws -> Set<String> {
    let path = newsimport.folder.file("delivered")
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return Set(
      try String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap {
        (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["guid"] as? String
      })
  }

  private mutating func compare() async throws {
    try await compareArticles(try await list())
    try await compareEvents()
    try await compareVersions()
  }

  private func compareArticles(_ listed: [[String: Any]]) async throws {
    let guids = listed.compactMap { $0["guid"] as? String }
    try #require(
      Set(guids) == Set(model.articles.keys) && guids.count == model.articles.count, "seed \(seed)")
    for line in listed {
      guard let guid = line["guid"] as? String, let article = model.articles[guid] else { continue }
      let found = ["title", "content_html", "url", "comments_url"].map { line[$0] as? String ?? "" }
      let item = article.item
      try #require(
        found == [item.title, item.text, item.link, item.link + "/comments"], "seed \(seed): \(guid)")
      try #require(line["members"] is [String: Any], "seed \(seed): \(guid) has no members")
      let marks = ["read", "starred"].map { line[$0] as? Bool ?? false }
      try #require(marks == [article.isRead, article.isStarred], "seed \(seed): \(guid)")
      try #require(line["edits"] as? Int == article.edits, "seed \(seed): edits of \(guid)")
    }
    let dates = guids.compactMap { model.articles[$0]?.item.published }
    try #require(dates == dates.sorted(by: >), "seed \(seed): the order of the list")
  }

  private mutating func compareEvents() async throws {
    let events = try await objects("changes", "--since", token, "--json")
    var found = SimulatedStore.Events()
    for event in events {
      guard let guid = event["guid"] as? String, let change = event["change"] as? String else { continue }
      switch change {
      case "insert": found.inserted.insert(guid)
      case "delete": found.deleted.insert(guid)
      case "update" where (event["kind"] as? [String])?.contains("words") == true: found.edited.append(guid)
      default: break
      }
    }
    token = events.last?["token"] as? String ?? token
    // An article that was inserted and deleted between two looks may have either event, or both.
    let both = found.deleted.union(model.events.deleted)
    try #require(found.inserted.subtracting(both) == model.events.inserted.subtracting(both), "seed \(seed)")
    try #require(found.deleted == model.events.deleted, "seed \(seed)")
    let edited = { (events: SimulatedStore.Events) in events.edited.filter { !both.contains($0) }.sorted() }
    try #require(edited(found) == edited(model.events), "seed \(seed)")
    model.events = SimulatedStore.Events()
  }

  private func compareVersions() async throws {
    let query = """
      SELECT a.guid, v.title, v.content_html FROM versions v JOIN articles a ON a.id = v.article_id
      ORDER BY v.article_id, v.version
      """
    var versions: [String: [[String]]] = [:]
    for row in try await objects("sql", "--json", query) {
      guard let guid = row["guid"] as? String else { continue }
      versions[guid, default: []].append([
        row["title"] as? String ?? "", row["content_html"] as? String ?? "",
      ])
    }
    for (guid, article) in model.articles {
      var found: [[String]] = []
      for text in (versions[guid] ?? []) + [[article.item.title, article.item.text]] where found.last != text
      {
        found.append(text)
      }
      // The values of an older document are also versions.
      if article.hasOlder {
        try #require(Self.contains(found, article.texts), "seed \(seed): versions of \(guid)")
      } else {
        try #require(found == article.texts, "seed \(seed): versions of \(guid)")
      }
    }
  }

  /// Returns whether texts occur among others in their order.
  private static func contains(_ texts: [[String]], _ wanted: [[String]]) -> Bool {
    var rest = wanted[...]
    for text in texts where text == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }

  /// Lets the hook get the rest, and compares the list in another store.
  mutating func finish() async throws {
    try setHookFailing(false)
    try await succeed("hooks", "run", "--retry")
    #expect(try model.hooked.subtracting(delivered()).isEmpty, "seed \(seed): the hook lacks articles")
    try await copy()
    server.stop()
  }

  /// Compares a long list in another store, before `prune` makes it short.
  mutating func compareLongList() async throws {
    guard isLong else { return }
    try await fetch()
    try await copy()
  }

  /// Reads the list into another store.
  private func copy() async throws {
    let lines = try await call(["list", "--all", "--json", "--full"])
    let other = try CommandRun()
    #expect(try await other.run(["import", "-"], input: lines.out).status == 0)
    let copy = try await other.run(["list", "--all", "--json", "--full"]).out
    #expect(try Self.texts(copy) == Self.texts(lines.out), "seed \(seed): the list in another store")
  }

  /// Returns the values that a list has in each store, as text.
  private static func texts(_ lines: String) throws -> [String] {
    try lines.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      let names = [
        "guid", "title", "content_html", "url", "comments_url", "published", "modified", "read", "starred",
      ]
      let members = (object["members"] as? [String: Any])?.keys.sorted() ?? []
      return names.map { "\(object[$0] ?? "")" }.joined(separator: "|") + members.joined(separator: ",")
    }.sorted()
  }
}
