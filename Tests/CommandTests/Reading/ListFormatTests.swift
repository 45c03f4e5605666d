import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The formats of lists for other programs.
@Suite struct ListFormatTests {
  private let newsimport: CommandRun
  private let address: String

  init() async throws {
    newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in
      .ok(
        """
        <rss version="2.0"><channel><title>The "D", daily</title>
        <item><guid>a\\b</guid><title>x, "y"</title><category>t</category><description>&lt;p>one
        \ttwo\\&lt;/p></description><pubDate>Wed, 03 Feb 2010 17:23:16 GMT</pubDate></item>
        <item><guid>c</guid><title>z</title><pubDate>Tue, 02 Feb 2010 17:23:16 GMT</pubDate></item></channel></rss>
        """)
    }
    defer { server.stop() }
    address = server.url("/feed")
    _ = try await newsimport("region", "add", "world", address)
    _ = try await newsimport("fetch", "world", "-q")
  }

  private static let fields = "id,guid,title,tags,content_html,url"

  @Test func `CSV quotes values as RFC 4180 requires`() async throws {
    let result = try await newsimport("list", "world", "--format", "csv", "--fields", Self.fields)
    #expect(
      result.out == """
        id,guid,title,tags,content_html,url
        1,a\\b,"x, ""y""\","[""t""]","<p>one
        \ttwo\\</p>",
        2,c,z,[],,

        """)
    #expect(result.status == 0 && result.err.isEmpty)
  }

  @Test func `TSV has one line per article, whatever its text contains`() async throws {
    let result = try await newsimport("list", "world", "--format", "tsv", "--fields", Self.fields)
    #expect(
      result.out == "id\tguid\ttitle\ttags\tcontent_html\turl\n"
        + "1\ta\\\\b\tx, \"y\"\t[\"t\"]\t<p>one\\n\\ttwo\\\\</p>\t\n2\tc\tz\t[]\t\t\n")
  }

  @Test func `fields are printed without a header, and -0 ends them with NUL`() async throws {
    #expect(try await newsimport("list", "world", "--fields", "guid,title").out == "a\\\\b\tx, \"y\"\nc\tz\n")
    #expect(
      try await newsimport("list", "world", "--fields", "content_html", "-0").out
        == "<p>one\n\ttwo\\</p>\0\0")
    #expect(
      try await newsimport("list", "world", "--format", "tsv", "--fields", "id,content_html", "--null").out
        == "1\t<p>one\n two\\</p>\0" + "2\t\0")
    let table = try await newsimport("list", "world", "-0").out
    #expect(table.hasSuffix("\0") && !table.contains("\n") && table.split(separator: "\0").count == 2)
  }

  @Test func `a field that is named twice is printed once`() async throws {
    #expect(
      try await newsimport("list", "world", "--json", "--fields", "id,guid,id").out
        == "{\"id\":1,\"guid\":\"a\\\\b\"}\n{\"id\":2,\"guid\":\"c\"}\n")
  }

  @Test func `regions and their feeds have the same formats`() async throws {
    #expect(
      try await newsimport("region", "list", "--json").out
        == "{\"name\":\"world\",\"feeds\":[\"\(address)\"],\"failing\":0,\"gone\":0}\n")
    #expect(
      try await newsimport("region", "list", "--format", "csv").out
        == "name,feeds,failing,gone\nworld,\"[\"\"\(address)\"\"]\",0,0\n")
    #expect(try await newsimport("region", "list", "--fields", "name", "-0").out == "world\0")
    #expect(
      try await newsimport("feed", "list", "world", "--format", "tsv", "--fields", "feed,title,status,gone")
        .out
        == "feed\ttitle\tstatus\tgone\n\(address)\tThe \"D\", daily\t200\tfalse\n")
    let line = try await newsimport("feed", "list", "world", "--json").out
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["gone"] as? Bool == false && object?.count == 12)
  }

  @Test func `options that exclude each other and invalid values are reported`() async throws {
    let cases = [
      (["list", "world", "--json", "--format", "csv"], "give --json or another --format, not both; "),
      (
        ["list", "world", "--format", "rss", "--fields", "id"],
        "--fields needs --format json, csv or tsv; "
      ),
      (["list", "world", "--json", "-0"], "-0 needs a table, --format tsv or --fields; "),
      (["list", "world", "--full"], "--full needs --format json, csv or tsv, without --fields; "),
      (
        ["list", "world", "--fields", "titel"],
        "'titel' is not a field; did you mean title? the fields are id, guid, feed, title"
      ),
      (["region", "list", "--format", "rss"], "the value 'rss' is invalid"),
    ]
    for (arguments, words) in cases {
      let result = try await newsimport.run(arguments)
      #expect(result.status == 64 && result.out.isEmpty && result.err.contains(words), "\(result.err)")
    }
  }
}
