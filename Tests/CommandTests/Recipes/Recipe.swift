import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// A section of docs/recipes.md with a store. Its configuration and programs are in a home folder of their own.
struct Recipe {
  /// Answers the requests that are not for the feed.
  typealias Answer = @Sendable (ReceivedRequest) -> ScriptedResponse

  let newsimport: CommandRun
  let server: LoopbackHTTPServer
  /// The section's commands that are no program.
  private let commands: String?
  private let items = Locked<[[String: String]]>([])
  private let attachments: [[String: String]]

  /// Prepares the region of the recipe, with two articles that are not new.
  ///
  /// - Parameters:
  ///   - title: The section's title.
  ///   - region: The region of the feed.
  ///   - attachments: The files of each article; addresses may begin with `/`.
  ///   - answer: The server's answers, except for the feed.
  init(
    _ title: String, region: String = "world", attachments: [[String: String]] = [],
    answer: @escaping Answer = { _ in .status(404) }
  ) async throws {
    newsimport = try CommandRun(onServer: false)
    self.attachments = attachments
    let (items, files) = (items, attachments)
    server = try LoopbackHTTPServer { request in
      if request.path != "/feed.xml" { return answer(request) }
      return .ok(
        Self.feed(items.withLock { $0 }, files, host: request.text(of: "Host") ?? ""),
        headers: ["Content-Type: application/feed+json"])
    }
    let page = try String(contentsOf: Repository.folder.appending(path: "docs/recipes.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(title)\n") })
    let root = server.url("")
    let parts = section.components(separatedBy: "\n```").dropFirst()
    // Each second part is between two blocks.
    let blocks = parts.enumerated().filter { $0.offset % 2 == 0 }.map { $0.element }
    var commands: String?
    for block in blocks {
      let language = block.prefix { $0 != "\n" }
      let text = block.dropFirst(language.count + 1)
        .replacing(#/https://[a-z]+\.example\.org/#) { match in
          match.output == "https://example.org" ? String(match.output) : root
        }
      if language == "toml" {
        _ = try newsimport.folder.write(".config/newsimport/config.toml", (text + "\n").utf8)
      } else if text.hasPrefix("#!") {
        let name = try #require(text.split(separator: "\n").dropFirst().first?.split(separator: "/").last)
        try await Self.install(text + "\n", as: "bin/\(name)", in: newsimport.folder)
      } else {
        commands = String(text)
      }
    }
    self.commands = commands
    publish([["id": "a", "title": "First"], ["id": "b", "title": "Second"]])
    _ = try await newsimport("region", "add", region, server.url("/feed.xml"))
    let fetched = try await fetch()
    #expect(fetched.status == 0, "\(fetched)")
  }

  private static func feed(_ items: [[String: String]], _ attachments: [[String: String]], host: String)
    -> String
  {
    let items = items.map { item -> [String: Any] in
      let files = attachments.map { file in
        file.mapValues { $0.hasPrefix("/") ? "http://\(host)\($0)" : $0 }
      }
      var item: [String: Any] = item.mapValues { $0.hasPrefix("/") ? "http://\(host)\($0)" : $0 }
      item["attachments"] = files
      item["date_published"] = "2026-11-21T09:12:00Z"
      return item
    }
    let feed: [String: Any] = [
      "version": "https://jsonfeed.org/version/1.1", "title": "The \"Daily\"", "items": items,
    ]
    return (try? JSONSerialization.data(withJSONObject: feed)).map { String(decoding: $0, as: UTF8.self) }
      ?? ""
  }

  /// Installs a program that this process never opens for writing. A process that another test starts meanwhile
  /// would inherit the open file, and the program could not be started ("Text file busy").
  private static func install(_ text: String, as name: String, in folder: TemporaryFolder) async throws {
    let source = try folder.write("sources/\(name)", text.utf8)
    let result = try await Command.run("/usr/bin/install", ["-D", "-m", "700", source, folder.file(name)])
    #expect(result.status == 0, "\(result)")
  }

  // MARK: What a test does

  /// Adds articles to the feed, as JSON Feed has them; addresses may begin with `/`.
  func publish(_ new: [[String: String]]) { items.withLock { $0 += new } }

  /// Installs a program that stands for another one, in the first folder of PATH.
  ///
  /// - Returns: Its path.
  @discardableResult
  func install(_ name: String, _ script: String) async throws -> String {
    try await Self.install("#!/bin/sh\n\(script)\n", as: "stubs/\(name)", in: newsimport.folder)
    return newsimport.folder.file("stubs/\(name)")
  }

  /// Changes the recipe's configuration, such as a path that a stub has instead.
  func replace(_ old: String, with new: String) throws {
    let path = ".config/newsimport/config.toml"
    let text = try self.text(path)
    #expect(text.contains(old))
    _ = try newsimport.folder.write(path, text.replacing(old, with: new).utf8)
  }

  /// Returns a file's text, by its path in the home folder.
  func text(_ path: String) throws -> String {
    try String(contentsOfFile: newsimport.folder.file(path), encoding: .utf8)
  }

  /// The environment of a user with the recipe's programs.
  var environment: [String: String] {
    let places = [newsimport.folder.file("stubs"), Command.builtProducts, "/usr/bin", "/bin"]
    return [
      "HOME": newsimport.folder.path, "NEWSIMPORT_STORE": newsimport.store, "TZ": "UTC", "LC_ALL": "C.UTF-8",
      "PATH": places.joined(separator: ":"), "TMPDIR": newsimport.folder.path,
    ]
  }

  /// Runs a program of the recipe or newsimport.
  func run(_ words: String...) async throws -> Command.Result {
    try await Command.run("/usr/bin/env", words, environment: environment)
  }

  /// Fetches, which runs the hooks.
  func fetch() async throws -> Command.Result { try await run("newsimport", "fetch", "--all", "-q") }

  /// Repeats what has failed.
  func retry() async throws -> Command.Result { try await run("newsimport", "hooks", "run", "--retry") }

  /// Runs the section's commands in a shell, in the home folder.
  func runCommands() async throws -> Command.Result {
    try await Command.run(
      "/bin/sh", ["-e", "-c", "cd; " + (try #require(commands))], environment: environment)
  }

  /// The requests of the recipe, without those for the feed.
  var requests: [ReceivedRequest] { server.requests.filter { $0.path != "/feed.xml" } }
}
