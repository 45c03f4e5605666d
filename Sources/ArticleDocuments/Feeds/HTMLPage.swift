package import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// A writer of articles as a self-contained page, without scripts or network access (WHATWG HTML).
package struct HTMLPage: ArticleDocument {
  /// The headline.
  let title: String
  /// The choice in words, such as "unread".
  let conditions: [String]
  /// True if there may be older articles.
  let isLimited: Bool
  let outline: PageOutline
  /// The time at which the page is created.
  let created: Date
  /// The previous article's day; empty before the first.
  private var day = ""
  private var anchors: Set<String> = []

  package init(title: String, conditions: [String], isLimited: Bool, outline: PageOutline, created: Date) {
    (self.title, self.conditions, self.isLimited) = (title, conditions, isLimited)
    (self.outline, self.created) = (outline, created)
  }

  package var head: String {
    let title = SafeHTML.escaped(title)
    let count = counted(outline.articles.count, "article")
    let choice = conditions.isEmpty ? "" : ": " + Self.isolated(conditions.joined(separator: ", "))
    return """
      \(Self.beginning(titled: "\(title) (\(count)\(choice))", HTMLPageStyle.text, hash: HTMLPageStyle.hash))
      <a class="skip" href="#articles">Skip to the articles</a>
      <header>
      <h1 dir="auto">\(title)</h1>
      <p>\(isLimited ? "The newest " : "")\(count)\(outline.origin)\(choice)</p>
      <p>\(Self.time(created, text: "As of \(localMinute(created)) \(localZone(at: created))"))</p>
      </header>
      \(outline.html)<main id="articles">

      """
  }

  package mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8]) {
    // The date that orders the list: each day has one section.
    let date = listed.listDate(at: created)
    let today = localDay(date)
    if today != day {
      let end = day.isEmpty ? "" : "</section>\n"
      let name = Self.time(date, text: Self.dayName(CivilDate(local: date)))
      bytes += "\(end)<section\(id(today)) aria-label=\"\(today)\">\n<h2>\(name)</h2>\n".utf8
      day = today
    }
    let time = Self.time(date, text: "\(localTime(date)) \(localZone(at: date))")
    writeArticle(FeedEntry(listed), of: listed.feed, time, to: &bytes)
  }

  /// Returns a page up to its body's beginning.
  ///
  /// - Parameters:
  ///   - title: HTML.
  ///   - style: The only style that the page's policy allows.
  ///   - hash: Its hash.
  static func beginning(titled title: String, _ style: String, hash: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '\(hash)'; base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <meta name="generator" content="newsimport">
    <title>\(title)</title>
    <style>\(style)</style>
    </head>
    <body>
    """
  }

  /// Returns the attribute of a place that can be linked to; empty if the page already has it.
  private mutating func id(_ anchor: String) -> String {
    anchors.insert(anchor).inserted ? " id=\"\(anchor)\"" : ""
  }

  package var tail: String {
    let none = outline.articles.isEmpty ? "<p class=\"none\">No articles yet.</p>\n" : ""
    return (day.isEmpty ? none : "</section>\n")
      + "</main>\n<footer><p>Gathered by newsimport</p></footer>\n</body>\n</html>\n"
  }

  // MARK: An article

  private mutating func writeArticle(
    _ entry: FeedEntry, of feed: Feed?, _ time: String, to bytes: inout [UInt8]
  ) {
    let title = Self.isolated(entry.listTitle)
    let address = entry.url.map(WebAddress.withoutPassword)
    let link = address.flatMap { SafeHTML.isSafe($0) ? SafeHTML.escaped($0) : nil }
    let headline = link.map { "<a href=\"\($0)\" rel=\"noopener noreferrer\">\(title)</a>" } ?? title
    let anchor = PageAnchor.article(entry.id)
    // A feed's first article is the feed's place.
    bytes +=
      """
      <article\(id(anchor)) lang="\(entry.languageTag ?? "")">
      <h3\(feed.map { id(outline.anchor(of: $0)) } ?? "") dir="auto">\(headline)</h3>
      <p class="meta" lang="en">\(meta(entry, "<a href=\"#\(anchor)\">\(time)</a>"))</p>

      """.utf8
    writeBody(entry, anchor, address, to: &bytes)
    bytes += "</article>\n".utf8
  }

  private func meta(_ entry: FeedEntry, _ time: String) -> String {
    let place = entry.feedTitle ?? entry.feedURL
    let names = entry.authors.compactMap { $0.name ?? $0.email }.joined(separator: ", ")
    let parts = [place, names.isEmpty || names == place ? nil : names].compactMap { $0 }.map {
      "<span dir=\"auto\">\(Self.isolated($0))</span>"
    }
    return ([time] + parts).joined(separator: " <span aria-hidden=\"true\">·</span> ")
  }

  /// Writes the content: unfolded if it is short, folded if it is long.
  private func writeBody(
    _ entry: FeedEntry, _ anchor: String, _ address: String?, to bytes: inout [UInt8]
  ) {
    let files = files(entry)
    entry.withBody { html, hasContent in
      let content = SafeHTML.bytes(of: html, anchorPrefix: anchor + "-", page: address)
      let isLong = html.count > Self.shortest && content.count > Self.shortest
      if isLong {
        let (start, isCut) = Self.beginning(of: Self.words(of: entry, html))
        bytes +=
          """
          <p class="start" dir="auto">\(Self.isolated(start))\(isCut ? "…" : "")</p>
          <details><summary lang="en">Read on</summary>

          """.utf8
      } else if !hasContent, !Self.hasWords(html) {
        bytes += files.utf8
        return
      }
      bytes += "<div class=\"content\" dir=\"auto\">".utf8
      bytes += content
      bytes += "</div>\n\(files)".utf8
      if isLong { bytes += "</details>\n".utf8 }
    }
  }

  private static func hasWords(_ html: Span<UInt8>) -> Bool {
    var words: [UInt8] = []
    HTMLWords.append(wordsOf: html, to: &words)
    return words.contains { $0 > UInt8(ascii: " ") }
  }

  /// Returns the words in an article's summary, else in its content.
  private static func words(of entry: FeedEntry, _ html: Span<UInt8>) -> [UInt8] {
    var words: [UInt8] = []
    entry.withUTF8(of: Article.schema.summary) { summary in
      if let summary {
        HTMLWords.append(wordsOf: summary, to: &words)
      } else {
        HTMLWords.append(wordsOf: html, to: &words)
      }
    }
    return words
  }

  /// Returns a text's first words, with single spaces between them, and whether more follow.
  private static func beginning(of text: [UInt8]) -> (text: String, isCut: Bool) {
    var bytes: [UInt8] = []
    var count = 0
    var isInWord = false
    for byte in text {
      if byte <= UInt8(ascii: " ") {
        isInWord = false
        continue
      }
      if !isInWord {
        if count == wordsShown { return (String(decoding: bytes, as: UTF8.self), true) }
        if count > 0 { bytes.append(UInt8(ascii: " ")) }
        count += 1
        isInWord = true
      }
      bytes.append(byte)
    }
    return (String(decoding: bytes, as: UTF8.self), false)
  }

  private func files(_ entry: FeedEntry) -> String {
    let links = entry.attachments.compactMap { file -> String? in
      guard SafeHTML.isSafe(file.url) else { return nil }
      let name = file.url.split(separator: "/").last.map { $0.prefix { $0 != "?" && $0 != "#" } } ?? ""
      let size = file.bytes.flatMap { $0 > 0 ? byteText($0) : nil }
      let words = [String(name.prefix(60)), file.type, size].compactMap { $0 }.joined(separator: ", ")
      return
        "<li><a href=\"\(SafeHTML.escaped(file.url))\" rel=\"noopener noreferrer\">\(Self.isolated(words))</a></li>"
    }
    return links.isEmpty ? "" : "<ul class=\"files\" lang=\"en\">\(links.joined())</ul>\n"
  }

  private static let shortest = 700
  private static let wordsShown = 45

  // MARK: Words

  /// Returns text without hidden direction characters, isolated so that the text around it is not affected.
  static func isolated(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isDirectionControl) else { return SafeHTML.escaped(text) }
    let kept = text.unicodeScalars.filter { !isDirectionControl($0) }
    return SafeHTML.escaped(String(String.UnicodeScalarView(kept)))
  }

  private static func isDirectionControl(_ character: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(character.value) || (0x2066...0x2069).contains(character.value)
  }

  static func time(_ date: Date, text: String) -> String {
    "<time datetime=\"\(iso8601(date))\">\(text)</time>"
  }

  /// Returns a day as "Saturday, 21 November 2026".
  static func dayName(_ date: CivilDate) -> String {
    "\(date.weekdayName), \(day(date))"
  }

  /// Returns a day as "21 November 2026".
  static func day(_ date: CivilDate) -> String {
    "\(date.day) \(date.monthName) \(date.year)"
  }
}
