import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand
@testable import OtherPrograms

@Suite struct SfeedTests {
  @Test(arguments: [
    ("feed a https://a.example/", ["a=https://a.example/"]),
    ("feeds() { feed 'a' 'https://a.example/it'; }\n# feed b https://b.example/", ["a=https://a.example/it"]),
    (
      "b=https://a.example\nfeed a \"$b/x\" https://a.example/\nfeed c ${b}/y",
      ["a=https://a.example/x", "c=https://a.example/y"]
    ),
    ("feed \\\n  \"a b\" \\\n\t'https://a.example/'", ["a b=https://a.example/"]),
    (
      "feed a https://a.example/;feed b https://b.example/ & feed c https://c.example/ # d",
      ["a=https://a.example/", "b=https://b.example/", "c=https://c.example/"]
    ),
    ("export b='https://a.example/?x=1&y'; feed \"it's\" \"${b}\"", ["it's=https://a.example/?x=1&y"]),
    ("feed a\\ b https://a.example/a\\&b", ["a b=https://a.example/a&b"]),
    ("if true; then feed a https://a.example/; fi", ["a=https://a.example/"]),
    ("feed a https://a.example/x#y", ["a=https://a.example/x#y"]),
    ("feed a \"https://a.example/\\$x\"", ["a=https://a.example/$x"]),
    ("echo feed a https://a.example/; feeder b c", []),
    (
      "cat >x <<EOF; feed a https://a.example/\nfeed b https://b.example/\nEOF\nfeed c https://c.example/",
      ["a=https://a.example/", "c=https://c.example/"]
    ),
    (
      "cat <<-'E F' <<\"G\" | sh\nfeed a https://a.example/\n\tE F\nfeed b https://b.example/\nG\nfeed c https://c.example/",
      ["c=https://c.example/"]
    ),
    ("cat <<<feed a\nfeed b https://b.example/ 2>&1 >feed", ["b=https://b.example/"]),
    ("((x = 1 << 2))\nfeed b https://b.example/", ["b=https://b.example/"]),
  ])
  func `the feeds of a script are found without running it`(script: String, feeds: [String]) {
    let found = SfeedConfiguration(script)
    #expect(found.feeds.map { "\($0.name)=\($0.address)" } == feeds && found.unreadLines.isEmpty)
  }

  @Test(arguments: [
    "feed \"$1\" https://a.example/", "feed a \"$(cat x)\"", "feed a `cat x`",
    "for n in a b; do feed $n https://a.example/$n; done",
    "feed a ${x:-https://a.example/}", "x=$(pwd)\nfeed a $x", "feed a",
  ])
  func `feeds that only a shell can find are noted by their lines`(script: String) {
    let found = SfeedConfiguration("# c\n" + script)
    #expect(
      found.feeds.isEmpty && found.unreadLines == [script.hasPrefix("x=") ? 3 : 2], "\(found.unreadLines)")
  }

  @Test func `names are the user's own, feeds without a file are added, and others are reported`()
    async throws
  {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let folder = newsimport.folder.file("sfeed")
    let file = try newsimport.folder.write(
      "sfeed/sfeedrc",
      "base=\(server.url(""))\nfeeds() {\n\tfeed 'a/b' $base/a\n\tfeed new $base/n; feed $x $base/x\n\tfeed local file:///x\n}\n"
        .utf8)
    for name in ["a_b", "other"] {
      _ = try newsimport.folder.write("sfeed/feeds/\(name)", "0\tOne\thttps://a.example/\(name)\t\t\t\n".utf8)
    }
    let run = try await newsimport("import", "--from", "sfeed", folder)
    #expect(
      run.err == """
        newsimport: \(file): line 4: this feed was not read, because only a shell can find its name or address
        newsimport: \(file): local: file:///x is not an http or https address
        newsimport: \(file): it has no address for other, so this feed is not fetched

        """)
    #expect(run.status == 0 && run.out.contains("   2 new"), "\(run)")
    _ = try await newsimport("fetch", "sfeed")
    let feeds = try await newsimport("feed", "list", "--fields", "feed,title").out
    #expect(
      feeds.split(separator: "\n").sorted() == [
        "file:sfeed/other\tother", "\(server.url("/a"))\ta/b", "\(server.url("/n"))\tnew",
      ])
  }
}
