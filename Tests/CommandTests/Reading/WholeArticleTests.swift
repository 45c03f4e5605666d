import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Everything that `parse` prints of an item is in the store, and in what commands print of an article.
@Suite struct WholeArticleTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private static let feed = """
    {"version": "https://jsonfeed.org/version/1.1", "title": "Pod", "items": [{"id": "1", "title": "One",
    "url": "https://e.org/1", "external_url": "https://e.org/about", "content_html": "<p>a</p>", "content_text": "a",
    "authors": [{"name": "Ann", "avatar": "https://e.org/ann.png"}], "banner_image": "https://e.org/b.png",
    "image": "https://e.org/i.png",
    "attachments": [{"url": "https://e.org/1.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 1204,
    "duration_in_seconds": 3750.5}]}]}
    """

  private static let podcast = """
    <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
    xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:slash="http://purl.org/rss/1.0/modules/slash/">
    <channel><title>Pod</title><item><guid isPermaLink="false">1</guid><title>One</title><link>https://e.org/1</link>
    <comments>https://e.org/1#comments</comments><slash:comments>7</slash:comments>
    <enclosure url="https://e.org/1.mp3" type="audio/mpeg" length="1204"/><itunes:duration>1:02:30</itunes:duration>
    <itunes:season>2</itunes:season><itunes:episode>5</itunes:episode>
    <podcast:person role="guest">Ann "A" \u{202E}</podcast:person></item></channel></rss>
    """

  private func fetch(_ feed: String) async throws {
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world").status == 0)
  }

  private func object(_ arguments: String...) async throws -> NSDictionary {
    let result = try await newsimport.run(arguments)
    #expect(result.status == 0 && result.err.isEmpty)
    let object = try JSONSerialization.jsonObject(with: Data(result.out.utf8))
    return try #require((object as? [NSDictionary])?.first ?? object as? NSDictionary)
  }

  @Test func `the view has what a JSON Feed states beside the usual fields`() async throws {
    try await fetch(Self.feed)
    let row = try await object("sql", "--format", "json", "SELECT * FROM articles")
    #expect(row["external_url"] as? String == "https://e.org/about")
    #expect(row["comments_url"] is NSNull && row["last_change"] is NSNull)
    #expect(row["authors"] as? String == #"[{"name":"Ann","avatar":"https://e.org/ann.png"}]"#)
    #expect(
      row["attachments"] as? String == """
        [{"url":"https://e.org/1.mp3","mime_type":"audio/mpeg","size_in_bytes":1204,\
        "duration_in_seconds":3750.5}]
        """)
    #expect(row["members"] as? String == #"{"content_text":"a","banner_image":"https://e.org/b.png"}"#)
  }

  @Test func `commands show the members of an episode`() async throws {
    try await fetch(Self.podcast)
    let members = try await object("show", "1", "--json")
    #expect(members["comments_url"] as? String == "https://e.org/1#comments")
    #expect(
      members["members"] as? NSDictionary == [
        "id_is_permalink": false, "duration_in_seconds": 3750, "season": 2, "episode": 5,
        "persons": [["name": "Ann \"A\" \u{202E}", "role": "guest"]], "comment_count": 7,
      ])
    #expect(
      members["attachments"] as? NSArray == [
        [
          "url": "https://e.org/1.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 1204,
          "duration_in_seconds": 3750,
        ]
      ])
    let listed = try await object("list", "world", "--json", "--fields", "external_url,comments_url,members")
    #expect(listed["members"] as? NSDictionary == members["members"] as? NSDictionary)
    let page = try await newsimport("show", "1")
    #expect(
      page.out.hasSuffix(
        """
        https://e.org/1
        comments  https://e.org/1#comments

        attachment  https://e.org/1.mp3  audio/mpeg  1,204 bytes  1:02:30

        comment_count  7
        duration_in_seconds  3750
        episode  5
        persons  name Ann "A" \\u202e, role guest
        season  2

        """))
  }

  @Test func `a feed made of articles has their members, and parse reads them again`() async throws {
    try await fetch(Self.podcast)
    let exported = try await newsimport("export", "world", "--format", "jsonfeed")
    let file = newsimport.folder.file("feed.json")
    try exported.out.write(toFile: file, atomically: true, encoding: .utf8)
    let feed = try #require(
      try JSONSerialization.jsonObject(with: Data(exported.out.utf8)) as? [String: Any])
    let item = try #require((feed["items"] as? [NSDictionary])?.first)
    #expect((item["_newsimport"] as? NSDictionary)?["comments_url"] as? String == "https://e.org/1#comments")
    #expect((item["_newsimport"] as? NSDictionary)?["season"] as? Int == 2)
    let parsed = try await object("parse", file)
    let files = ((parsed["items"] as? [NSDictionary])?.first)?["attachments"] as? [NSDictionary]
    #expect(files?.first?["duration_in_seconds"] as? Int == 3750)
    let rss = try await newsimport("export", "world", "--format", "rss")
    #expect(rss.out.contains("<comments>https://e.org/1#comments</comments>"))
  }
}
