import Foundation
import LoopbackServer
import TestSupport
import Testing
import TextOutput

@testable import ArticleDocuments
@testable import NewsCommand
@testable import NewsConfiguration

/// `list --format mbox`, read by Python's modules mailbox and email.
@Suite struct MailFolderTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Prints the messages of a mailbox as JSON, one a line, with decoded headers and parts.
  private static let reader = """
    import email.header, email.utils, json, mailbox, sys
    for m in mailbox.mbox(sys.argv[1], create=False):
        text = lambda name: str(email.header.make_header(email.header.decode_header(m[name]))) if m[name] else None
        people = lambda name: [str(email.header.make_header(email.header.decode_header(n))) + '|' + a
                  for n, a in email.utils.getaddresses(m.get_all(name, []))]
        parts = {p.get_content_type(): p.get_payload(decode=True).decode(p.get_content_charset())
                 for p in m.walk() if not p.is_multipart()}
        print(json.dumps({'from': people('From'), 'answers': people('Reply-To'), 'subject': text('Subject'), 'date': m['Date'], 'id': m['Message-ID'],
          'names': sorted(m.keys()), 'type': m.get_content_type(), 'line': m.get_from(), 'parts': parts,
          'defects': len(m.defects), 'keywords': text('Keywords'), 'page': m['Archived-At']}))
    """

  private struct Message: Decodable {
    var from: [String]
    var answers: [String]
    var subject: String
    var date: String
    var id: String
    var names: [String]
    var type: String
    var line: String
    var parts: [String: String]
    var defects: Int
    var keywords: String?
    var page: String?
  }

  private func mailbox(_ feed: String) async throws -> (text: String, messages: [Message]) {
    let server = try LoopbackHTTPServer { _ in .ok(feed, headers: ["Content-Type: application/feed+json"]) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
    let result = try await newsimport("list", "world", "--format", "mbox")
    #expect(result.status == 0 && result.err.isEmpty)
    let file = newsimport.folder.file("news.mbox")
    try Data(result.out.utf8).write(to: URL(fileURLWithPath: file))
    let read = try await Command.run("python3", ["-c", Self.reader, file])
    #expect(read.status == 0, "\(read.err)")
    let messages = try read.out.split(separator: "\n").map { line in
      try JSONDecoder().decode(Message.self, from: Data(line.utf8))
    }
    return (result.out, messages)
  }

  @Test func `an article is a message with its text as plain text and as HTML`() async throws {
    let (text, messages) = try await mailbox(
      #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"The Daily","items":[{"id":"a","url":"https://example.org/1",
      "title":"Budget : le vote reporté","content_html":"<p>Tonight&nbsp;the <a href='https://example.org/x'>vote</a> é.</p>",
      "date_published":"2010-02-03T17:23:16Z","tags":["R&D, \"x\"","été"],"authors":[{"name":"Ada Lovelace",
      "url":"mailto:ada@example.org"},{"name":"日本 太郎"}]}]}
      """#)
    let message = try #require(messages.first)
    #expect(messages.count == 1 && message.defects == 0 && message.type == "multipart/alternative")
    #expect(message.subject == "Budget : le vote reporté")
    #expect(message.from == ["Ada Lovelace, 日本 太郎|127.0.0.1@newsimport.invalid"])
    #expect(message.answers == ["Ada Lovelace|ada@example.org"])
    #expect(message.date == "Wed, 03 Feb 2010 17:23:16 +0000")
    #expect(message.keywords == "\"R&D, \\\"x\\\"\", été" && message.page == "<https://example.org/1>")
    #expect(message.parts["text/plain"]?.contains("Tonight\u{a0}the vote[1] é.") == true)
    #expect(message.parts["text/plain"]?.contains("[1] https://example.org/x") == true)
    #expect(
      message.parts["text/html"]?.contains("<p>Tonight\u{a0}the <a href=\"https://example.org/x\"") == true)
    #expect(message.line.hasPrefix("127.0.0.1@newsimport.invalid "))
    #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) }, "a mailbox is ASCII")
    let again = try await newsimport("list", "world", "--format", "mbox").out
    #expect(again == text, "the same articles are the same messages, with the same identifiers")
  }

  /// Names, titles and texts that try to begin a header, a part or a message.
  private static let hostile = [
    "x\nBcc: victim@example.org", "x\r\n\r\nFrom a@b Sat Nov 21 09:12:00 2026\nSubject: y",
    "=?UTF-8?B?WA==?=",
    "\u{2028}Bcc: a\u{85}b\u{b}c\u{c}d", "\"; \\ <a@b>, \"c\" <d@e>", String(repeating: "long ", count: 500),
    String(repeating: "w", count: 3000), String(repeating: "ü", count: 2000), "--=_newsimport_=_",
    "\u{0}\u{1b}[2J",
    " ", "From me", ">From you", "e\u{301}🎉", ":", "(comment) @", "a,b",
  ]

  @Test func `no title, author, tag or text begins a header or a message`() async throws {
    let items = Self.hostile.enumerated().map { place, text -> [String: Any] in
      [
        "id": "\(place)", "title": text, "tags": [text],
        "authors": [["name": text, "url": "mailto:\(text)"]],
        "content_html": "<pre>From x\n>From y\n\(text)\nFrom z = 1 </pre>",
        "url": "https://example.org/\(place)?\(text)",
        "date_published": "2010-02-03T17:23:\(10 + place)Z", "language": text,
      ]
    }
    let json = try JSONSerialization.data(withJSONObject: [
      "version": "https://jsonfeed.org/version/1.1", "title": "The\nDaily", "items": items,
    ])
    let (text, messages) = try await mailbox(String(decoding: json, as: UTF8.self))
    #expect(messages.count == Self.hostile.count)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("From ") } == Self.hostile.count)
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix(">From ") })
    #expect(text.utf8.split(separator: 0x0A).allSatisfy { $0.count <= 998 })
    // RFC 2047, 2
    #expect(text.split(separator: "\n").allSatisfy { !$0.contains("=?UTF-8?") || $0.utf8.count <= 76 })
    #expect(Set(messages.map(\.id)).count == Self.hostile.count)
    let known: Set = [
      "From", "Subject", "Date", "Message-ID", "Keywords", "Archived-At", "X-Newsimport-Feed",
      "Content-Language", "MIME-Version", "Content-Type",
    ]
    for message in messages {
      #expect(message.defects == 0 && message.from.count == 1 && known.isSuperset(of: message.names))
      #expect(Set(message.names).count == message.names.count, "each field is there once")
      #expect(message.parts["text/plain"]?.contains("From x\n>From y\n") == true)
      #expect(Set(message.parts.keys) == ["text/plain", "text/html"])
    }
    let subjects = messages.reversed().map(\.subject)
    #expect(subjects[0] == "x Bcc: victim@example.org" && subjects[2] == "=?UTF-8?B?WA==?=")
    #expect(subjects[7] == String(repeating: "ü", count: 2000) && subjects[10] == "From x >From y From z = 1")
  }

  @Test(arguments: [
    ("ada@example.org", true), ("a.b+c@example.org", true), ("a@b@c", false), ("a b@c", false),
    (".a@b", false),
    ("a@b\nBcc: c", false), ("a@[::1]", false), ("ü@b", false), ("@b", false), ("a@", false), ("", false),
  ]) func `only an address that every reader takes is one`(text: String, isValid: Bool) {
    #expect((MailAddress.valid(text) == text) == isValid)
  }

  @Test func `an encoded text is read as it was, in lines that begin or end no message`() async throws {
    var random = SeededGenerator(seed: 1)
    let some = [
      "From ", ">", "From", "=", ".", " ", "\t", "\n", "\r", "a", "é", "日",
      "x".padding(toLength: 80, withPad: "x", startingAt: 0),
    ]
    let texts = (0..<400).map { _ in
      (0..<Int.random(in: 0..<40, using: &random)).map { _ in some.randomElement(using: &random) ?? "" }
        .joined()
    }
    let encoded = texts.map { TransferEncoding($0) }
    for text in encoded.map(\.text) {
      #expect(text.utf8.split(separator: 0x0A).allSatisfy { $0.count <= 76 })
      #expect(
        !text.split(separator: "\n").contains { line in
          line.drop { $0 == ">" }.hasPrefix("From ") || line == "."
        })
    }
    let program = """
      import base64, json, quopri, sys
      decoders = {"base64": base64.b64decode, "quoted-printable": quopri.decodestring}
      json.dump([decoders[name](text.encode()).decode() for name, text in json.load(sys.stdin)], sys.stdout)
      """
    let input = try JSONEncoder().encode(encoded.map { [$0.name, $0.text] })
    let run = try await Command.run(
      "python3", ["-c", program], input: String(decoding: input, as: UTF8.self))
    let decoded = try JSONDecoder().decode([String].self, from: Data(run.out.utf8))
    #expect(decoded.count == texts.count && Set(encoded.map(\.name)).count == 2)
    for (text, (encoded, decoded)) in zip(texts, zip(encoded, decoded)) {
      let expected = encoded.name == "base64" || [nil, 0x0A].contains(text.utf8.last) ? text : text + "\n"
      #expect(decoded.utf8.elementsEqual(expected.utf8))
    }
  }

  @Test func `an article keeps its identifier, and each article of each feed has its own`() {
    let id = MailMessage.messageID(guid: "a", feedURL: "https://example.org/f")
    #expect(id != MailMessage.messageID(guid: "a", feedURL: "https://example.org/g"))
    #expect(id != MailMessage.messageID(guid: "fa", feedURL: "https://example.org/"))
    #expect(MailMessage.hash(Array("abc".utf8)) == 0xa68d_622c_ec8b_5822_836d_bc79_77af_7f3b)
  }

  @Test func `a date that no message can have is replaced by that of the import`() async throws {
    let (_, messages) = try await mailbox(
      #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"Old","items":[{"id":"a","title":"Old",
      "content_text":"Old","date_published":"1700-02-03T17:23:16Z"}]}
      """#)
    let dates = try await newsimport("list", "world", "--fields", "published,imported").out
    let imported = try #require(dates.firstMatch(of: #/1700-02-03T17:23:16Z\t(\S+)\n/#)?.output.1)
    #expect(messages.first?.date == MailDate.text(try Date(String(imported), strategy: .iso8601)))
    #expect(!MailDate.isValid(Date(timeIntervalSince1970: -1e10)))
    #expect(MailDate.delivery(Date(timeIntervalSince1970: 0)) == "Thu Jan  1 00:00:00 1970")
    #expect(MailDate.text(Date(timeIntervalSince1970: 1_266_000_000)) == "Fri, 12 Feb 2010 18:40:00 +0000")
  }
}
