import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Lists and objects of articles that are stored as JSON, and that other programs can have written.
@Suite struct StoredListTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Imports an article and writes texts of another program to its store.
  private func store(lists: String, members: String) async throws {
    let feed = """
      {"version":"https://jsonfeed.org/version/1.1","title":"Test","items":[{"id":"1","title":"ferry","content_text":"x",
      "_newsimport":{"comments_url":"https://a.example/comments"}}]}
      """
    _ = try await newsimport("import", "--feed", "file:own", "-", input: feed)
    #expect(try newsimport.rows("SELECT count(*) FROM article") == ["1"])
    try newsimport.execute(
      "UPDATE article SET authors = '\(lists)', tags = '\(lists)', attachments = '\(lists)', members = '\(members)'"
    )
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "not an object: \(text)")
  }

  @Test(
    arguments: [
      ("abc", "abc"), ("", ""), ("[1", "{"), ("{}", "[]"), ("[\n]", "{\n}"), ("\"x\"", "1"),
      ("[],[]", "{},{}"),
    ])
  func `text of other programs that is no list does not spoil the output`(lists: String, members: String)
    async throws
  {
    try await store(lists: lists, members: members)
    for command in [
      ["list", "--json", "--fields", "title,authors,tags,attachments,members"], ["show", "--json", "1"],
      ["search", "--json", "ferry", "--fields", "title,authors,tags,attachments,members"],
    ] {
      let article = try object(try await newsimport.run(command).out)
      #expect(article["title"] as? String == "ferry")
      for name in ["authors", "tags", "attachments"] {
        #expect((article[name] as? [Any])?.isEmpty == true)
      }
      #expect(article["members"] is NSNull)
    }
    let standard = try object(try await newsimport("list", "--json").out)
    #expect((standard["tags"] as? [Any])?.isEmpty == true)
    let export = try object(try await newsimport("export", "--format", "jsonfeed").out)
    #expect((export["items"] as? [[String: Any]])?.first?["title"] as? String == "ferry")
    #expect(
      try await newsimport("list", "--fields", "authors,tags,attachments,members").out == "[]\t[]\t[]\t\n")
    // The lines of a list are read again.
    let lines = try await newsimport("list", "--json", "--full").out
    let copy = try CommandRun()
    #expect(try await copy("import", "-", input: lines).status == 0)
    #expect(try await copy("list", "--fields", "title,tags").out == "ferry\t[]\n")
  }

  @Test func `lists and objects are written as they are stored`() async throws {
    let members = #"{"a":{"b":[1,null]},"c":"é\u0007"}"#
    try await store(lists: #"["x", "\"y"]"#, members: members)
    let article = try await newsimport("list", "--json", "--fields", "tags,members").out
    #expect(article == "{\"tags\":[\"x\", \"\\\"y\"],\"members\":\(members)}\n")
  }

  @Test func `an object without members is no mistake in a JSON Feed`() async throws {
    try await store(lists: "[]", members: "{}")
    try newsimport.execute(
      "UPDATE article SET comments_url = 'https://a.example/comments'")
    let export = try object(try await newsimport("export", "--format", "jsonfeed").out)
    let item = try #require((export["items"] as? [[String: Any]])?.first)
    #expect((item["_newsimport"] as? [String: String]) == ["comments_url": "https://a.example/comments"])
  }
}
