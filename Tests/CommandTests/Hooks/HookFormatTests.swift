import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `hook_format`: the form in which a hook gets its articles.
@Suite struct HookFormatTests {
  /// Runs a hook that writes its inputs into one file, each after a line with its event.
  private func inputs(
    _ rest: String, key: String = "on_new", publishing titles: [String], fails: Bool = false
  ) async throws -> (test: HookRunTests, inputs: [String]) {
    let test = try await HookRunTests()
    let end = fails ? "; [ $(grep -c '^EVENT ' '\(test.log)') -gt 1 ]" : ""
    try test.configure("{ echo \"EVENT $NEWSIMPORT_EVENT\"; cat; } >> '\(test.log)'\(end)", key: key, rest)
    #expect(try await test.fetch().status == 0)
    test.publish(titles)
    #expect(try await test.fetch().status == (fails ? 1 : 0))
    if fails { #expect(try await test.newsimport("hooks", "run", "--retry").status == 0) }
    test.server.stop()
    let log = try String(contentsOfFile: test.log, encoding: .utf8)
    return (test, Array(log.components(separatedBy: "EVENT ")[1...]))
  }

  private func header(_ name: String, in message: String) -> String? {
    message.split(separator: "\n").first { $0.hasPrefix("\(name): ") }.map {
      String($0.dropFirst(name.count + 2))
    }
  }

  @Test func `mail is one message without a line From, which list --format mbox prints as well`() async throws
  {
    let (test, inputs) = try await inputs(
      "hook_format = \"mail\"", publishing: ["One", "Two", "Three", "Four"])
    #expect(inputs.count == 2)
    let messages = inputs.map { String($0.drop { $0 != "\n" }.dropFirst()) }
    for (message, title) in zip(messages, ["Three", "Four"]) {
      #expect(
        message.hasPrefix("From: \"Test feed\" <127.0.0.1@newsimport.invalid>\n")
          || message.hasPrefix("From: Test feed <"))
      #expect(header("Subject", in: message) == title && header("To", in: message) == nil)
      #expect(message.hasSuffix("--\n") && !message.hasSuffix("\n\n"))
    }
    let status = try await test.newsimport("hooks", "status", "--json").out
    #expect(status.hasSuffix(",\"format\":\"mail\"}\n"))
    let mailbox = try await test.newsimport("list", "world", "--format", "mbox").out
    #expect(messages.allSatisfy { mailbox.contains("\n\($0)\n") })
  }

  @Test func `mbox is a mailbox, also with several articles at once`() async throws {
    let (test, inputs) = try await inputs(
      "hook_format = \"mbox\"\nhook_batch = 10", publishing: ["One", "Two", "Three", "Four"])
    let input = try #require(inputs.first)
    let mailbox = String(input.drop { $0 != "\n" }.dropFirst())
    #expect(inputs.count == 1)
    let listed = try await test.newsimport("list", "world", "--format", "mbox").out
    let messages = listed.components(separatedBy: "\n\nFrom ")
    #expect(messages.count == 4 && mailbox.components(separatedBy: "\n\nFrom ").count == 2)
    #expect(mailbox.hasPrefix("From ") && mailbox.hasSuffix("--\n\n"))
    #expect(mailbox.split(separator: "\n").allSatisfy { listed.contains($0) })
  }

  @Test(arguments: [1, 10]) func `text is what show prints`(batch: Int) async throws {
    let (test, inputs) = try await inputs(
      "hook_format = \"text\"\nhook_batch = \(batch)", publishing: ["One", "Two", "Three", "Four"])
    let texts = inputs.map { String($0.drop { $0 != "\n" }.dropFirst()) }
    let shown =
      batch == 1
      ? [try await test.newsimport("show", "3").out, try await test.newsimport("show", "4").out]
      : [try await test.newsimport("show", "3", "4").out]
    #expect(texts == shown && shown[0].contains("Three\n"))
  }

  @Test func `the text of an edited article names the command that shows its edits`() async throws {
    let (test, inputs) = try await inputs(
      "hook_format = \"text\"", key: "on_edited", publishing: ["One", "Two, again"])
    let text = try #require(inputs.first).drop { $0 != "\n" }.dropFirst()
    #expect(try await test.newsimport("show", "2").out == text && text.contains("newsimport diff 2"))
  }

  @Test func `a message that is repeated is the same, so that receivers recognize it`() async throws {
    let (_, inputs) = try await inputs(
      "hook_format = \"mail\"", publishing: ["One", "Two", "Three"], fails: true)
    #expect(inputs.count == 2 && inputs.first == inputs.last)
  }

  @Test func `an edit is a message of its own, which answers the article's first one`() async throws {
    let (test, inputs) = try await inputs(
      "hook_format = \"mail\"", key: "on_edited", publishing: ["One", "Two, again"], fails: true)
    #expect(inputs.count == 2 && inputs.first == inputs.last)
    let message = try #require(inputs.first)
    let mailbox = try await test.newsimport("list", "world", "--format", "mbox").out
    let first = try #require(header("In-Reply-To", in: message))
    #expect(header("References", in: message) == first && mailbox.contains("\nMessage-ID: \(first)\n"))
    let event = try #require(message.split(separator: "\n").first)
    let own = first.replacing("@", with: ".\(event)@")
    #expect(header("Message-ID", in: message) == own && header("Subject", in: message) == "Two, again")
    #expect(header("Date", in: message)?.contains("2010") == false, "the date of the edit")
  }

  @Test
  func `a format that is not known, and several articles in a message, are errors of the configuration`()
    async throws
  {
    let newsimport = try CommandRun()
    func check(_ rest: String) async throws -> String {
      let path = try newsimport.folder.write(
        ".config/newsimport/config.toml", "[region.world]\non_new = [\"true\"]\n\(rest)\n".utf8)
      let result = try await newsimport("config", "check")
      #expect(result.status == 78)
      return result.err.replacing("newsimport: \(path): region.world.", with: "")
    }
    #expect(
      try await check("hook_format = \"mbx\"")
        == "hook_format: 'mbx' is not known; did you mean mbox?\n")
    #expect(
      try await check("hook_format = \"maildir folder\"")
        == "hook_format: 'maildir folder' is not known; it is one of \"json\", \"mail\", \"mbox\", \"text\"\n"
    )
    #expect(
      try await check("hook_format = \"mail\"\nhook_batch = 2")
        == "hook_batch: a command with hook_format = \"mail\" gets one article; \"mbox\" is for several\n")
  }

  @Test func `config check has the format`() async throws {
    let newsimport = try CommandRun()
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml",
      "[region.world]\non_new = [\"true\"]\nhook_format = \"mail\"\n".utf8)
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    #expect(
      try await newsimport("config", "check").out.contains(
        "hook region.world.on_new   true, as mail, at most 1 min\n"))
  }
}
