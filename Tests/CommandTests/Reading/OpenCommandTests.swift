import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct OpenCommandTests {
  private let newsimport: CommandRun
  private let environment: [String: String]

  /// Articles with an address for a browser, one with shell syntax, one of another scheme, and none.
  init() async throws {
    let newsimport = try CommandRun()
    self.newsimport = newsimport
    environment = [
      "NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path, "PATH": "/usr/bin:/bin",
    ]
    let links = ["https://example.org/1", "https://example.org/$(touch%20x);%s'", "ftp://example.org/3", ""]
    let items = links.enumerated().map {
      "<item><guid isPermaLink='false'>g\($0.offset)</guid><title>T\($0.offset + 1)</title><link>\($0.element)</link></item>"
    }
    let feed = "<rss version='2.0'><channel><title>t</title>\(items.joined())</channel></rss>"
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func open(_ arguments: String..., browser: String? = nil, display: String? = nil) async throws
    -> CommandRun.Result
  {
    var environment = environment
    environment["BROWSER"] = browser
    environment["DISPLAY"] = display
    return try await Command.run(
      Command.builtProducts + "/newsimport", ["open"] + arguments, environment: environment)
  }

  @Test func `the address is one argument of the browser, whatever it contains`() async throws {
    let result = try await open("1", "2", browser: "/no/such/browser:echo -n seen:false")
    #expect(result.status == 0 && result.err.isEmpty)
    #expect(
      result.out == """
        opens  https://example.org/1  T1
        seen https://example.org/1opens  https://example.org/$(touch%20x);%s'  T2
        seen https://example.org/$(touch%20x);%s'
        """)
    let marked = try await open("1", browser: "printf <%s>")
    #expect(marked.out.hasSuffix("<https://example.org/1>"))
  }

  @Test func `without a browser the alternative is reported`() async throws {
    let result = try await open("1")
    #expect(result.status == 69 && result.out == "")
    #expect(
      result.err
        == "newsimport: no browser could open it; set BROWSER to a program, such as BROWSER=w3m, or print the address: newsimport open --print 1\n"
    )
    let failed = try await open("1", browser: "false")
    #expect(failed == .init(status: 69, out: "opens  https://example.org/1  T1\n", err: result.err))
  }

  @Test func `--print prints only the address`() async throws {
    #expect(try await open("--print", "1") == .init(status: 0, out: "https://example.org/1\n", err: ""))
  }

  @Test func `only web pages are opened, and other articles do not prevent that`() async throws {
    let result = try await open("3", "4", "77777", "1", browser: "true")
    #expect(result.status == 66 && result.out == "opens  https://example.org/1  T1\n")
    #expect(
      result.err == """
        newsimport: 3: the article has no address to open; newsimport show 3 shows it
        newsimport: 4: the article has no address to open; newsimport show 4 shows it
        newsimport: 77777: no such article; newsimport list shows the numbers

        """)
    #expect(try await open("3", browser: "true").status == 65)
  }

  @Test(
    arguments: [
      (["BROWSER": "w3m"], [["w3m", "u"]]),
      (["BROWSER": "a:b -n %s.html:"], [["a", "u"], ["b", "-n", "u.html"]]),
      (["BROWSER": " "], []), ([:], []), (["DISPLAY": ":0"], [["xdg-open", "u"]]),
      (["WAYLAND_DISPLAY": "w", "BROWSER": "a"], [["a", "u"], ["xdg-open", "u"]]),
    ] as [([String: String], [[String]])])
  func `the user's browser comes before the desktop's`(environment: [String: String], commands: [[String]]) {
    #expect(Browser.commands(opening: "u", environment: environment) == commands)
  }
}
