import FeedParsing
import Testing

/// The errors for pages in place of a feed.
@Suite struct PageTests {
  private func causes(_ html: String, url: String? = "https://example.org/blog/", type: String? = nil) -> Set<
    String
  > {
    let bytes = Array(html.utf8)
    let source = DocumentSource(url: url, contentType: type)
    // The cause does not depend on the division into chunks.
    return Set(
      [bytes.count, 4096, 7].map { size in
        let chunks = stride(from: 0, to: bytes.count, by: max(1, size)).map {
          Array(bytes[$0..<min($0 + max(1, size), bytes.count)])
        }
        do throws(FeedError) {
          _ = try ParsedFeed.parse(chunks: chunks, source: source)
          return "a feed"
        } catch {
          return error.description
        }
      })
  }

  private static let names = "not a feed: an HTML page; it links to a feed at https://example.org/feed/"

  /// A page as blogs write it: elements without end tags, scripts with `<`, feeds of comments.
  private static let blog = """
    \u{FEFF}<!DOCTYPE html>
    <html lang="en-US" class=no-js>
    <head>
    <meta charset="UTF-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="profile" href="https://gmpg.org/xfn/11">
    <title>Blog &#8211; a &raquo; b & c</title>
    <script>(function(h){h.className = 1<2 && "<rss version='2.0'><channel>" < h})(document)</script>
    <link rel="alternate" type="application/rss+xml" title="Blog &raquo; Comments Feed" href="/comments/feed/" />
    <link rel="alternate" type="application/rss+xml" title="Blog &raquo; Feed" href="/feed/" />
    <link rel="alternate" type="application/json" href="/wp-json/wp/v2/pages/2" />
    <style>a > b { content: "<feed>" }</style>
    </head><body><img src=a.png><br><p>One<p>Two<ul><li>x<li>y</ul><a href='?a=1&b=2'>z</a>
    """

  @Test(arguments: [
    blog, blog + String(repeating: "<meta name=x><link rel=prefetch href=y>", count: 1000),
    blog + String(repeating: "<div><p>text", count: 1000),
    blog + "<p " + String(repeating: "a=b ", count: 2000) + ">",
    blog + String(repeating: "<p>A text that is long enough.</p>\n", count: 20_000),
    "<HTML><HEAD><LINK REL=alternate TYPE=application/rss+xml HREF=../feed/></HEAD>",
    """
    <?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml">
    <head><base href="https://example.org/"/><link rel="alternate" type="application/atom+xml" href="feed/"/></head></html>
    """,
  ]) func `a page names the best feed that it links to`(html: String) {
    #expect(causes(html) == [Self.names])
  }

  @Test func `a link after a part that XML does not allow is found`() {
    let link = "<link rel=alternate type=application/rss+xml href=/feed/>"
    let html = "<!DOCTYPE html><html>" + String(repeating: "<div><p>text", count: 5000)
    #expect(causes(html + link) == [Self.names])
    #expect(
      causes(html + html + String(repeating: " ", count: 512 << 10) + link) == ["not a feed: an HTML page"])
  }

  @Test func `a page without its root element is known by its media type`() {
    let html = "<title>Blog</title><link rel=alternate type=application/rss+xml href=/feed/><p>x"
    #expect(causes(html, type: "text/html; charset=utf-8") == [Self.names])
    #expect(causes(html) == ["not a feed: a document of the kind <title>"])
  }

  @Test func `a page without a feed is reported as a page`() {
    let html = "<html><head><script>var a = '<feed>' < 1</script><body><a href=/about>About</a>"
    #expect(causes(html) == ["not a feed: an HTML page"])
  }

  @Test func `a password in the page's address is not reported`() {
    let html = "<html><link rel=alternate type=application/rss+xml href=/feed/>"
    #expect(causes(html, url: "https://user:secret@example.org/") == [Self.names])
  }

  @Test func `a feed is not refused because of its media type`() {
    let rss = "<rss version='2.0'><channel><title>t</title><item><title>a</title></item></channel></rss>"
    #expect(causes(rss, type: "text/html") == ["a feed"])
    #expect(causes("<!-- a page --><?php x ?>" + rss, type: "text/html") == ["a feed"])
  }
}
