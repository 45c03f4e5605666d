import TextOutput

extension FeedFormat {
  /// Adds an article, in UTF-8.
  func append(_ story: Story, to bytes: inout [UInt8]) {
    switch kind {
    case .rss: appendRSS(story, to: &bytes)
    case .atom, .atomXHTML: appendAtom(story, to: &bytes)
    case .rdf: appendRDF(story, to: &bytes)
    case .json: appendJSON(story, to: &bytes)
    }
  }

  private func appendRSS(_ story: Story, to bytes: inout [UInt8]) {
    // Real feeds use each of these forms.
    let (title, author) =
      story.number % 3 == 0
      ? ("<![CDATA[\(story.title)]]>", "<author>news@example.com (\(story.author))</author>")
      : (XMLText.escaped(story.title), "<dc:creator><![CDATA[\(story.author)]]></dc:creator>")
    bytes +=
      """
      <item>
      <title>\(title)</title>
      <link>\(story.link)</link>
      \(author)
      <pubDate>\(story.published.mail)</pubDate>
      <guid isPermaLink="false">\(XMLText.escaped(story.guid))</guid>

      """.utf8
    for tag in story.tags { bytes += "<category><![CDATA[\(tag)]]></category>\n".utf8 }
    bytes += "<description><![CDATA[\(story.summary)]]></description>\n".utf8
    appendEncoded(story, to: &bytes)
    if let (url, count) = story.enclosure {
      bytes += "<enclosure url=\"\(url)\" length=\"\(count)\" type=\"audio/mpeg\"/>\n".utf8
    }
    bytes += "</item>\n".utf8
  }

  /// Appends the body in RSS: escaped or in a CDATA section.
  private func appendEncoded(_ story: Story, to bytes: inout [UInt8]) {
    guard !story.body.isEmpty else { return }
    let isEscaped = story.number % 4 == 0
    bytes += (isEscaped ? "<content:encoded>" : "<content:encoded><![CDATA[").utf8
    for piece in story.body { bytes += isEscaped ? piece.escaped : piece.html }
    bytes += (isEscaped ? "</content:encoded>\n" : "]]></content:encoded>\n").utf8
  }

  private func appendAtom(_ story: Story, to bytes: inout [UInt8]) {
    bytes +=
      """
      <entry>
      <title type="text">\(XMLText.escaped(story.title))</title>
      <link rel="alternate" type="text/html" href="\(story.link)"/>
      <id>\(XMLText.escaped(story.guid))</id>
      <published>\(story.published.internet)</published>
      <updated>\(story.modified.internet)</updated>
      <author><name>\(story.author)</name></author>

      """.utf8
    for tag in story.tags { bytes += "<category term=\"\(XMLText.escaped(tag))\"/>\n".utf8 }
    bytes += "<summary type=\"text\">\(story.summary)</summary>\n".utf8
    if !story.body.isEmpty {
      let isXHTML = kind == .atomXHTML
      bytes +=
        (isXHTML
        ? "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">" : "<content type=\"html\">")
        .utf8
      for piece in story.body { bytes += isXHTML ? piece.html : piece.escaped }
      bytes += (isXHTML ? "</div></content>\n" : "</content>\n").utf8
    }
    bytes += "</entry>\n".utf8
  }

  private func appendRDF(_ story: Story, to bytes: inout [UInt8]) {
    bytes +=
      """
      <item rdf:about="\(story.link)">
      <title>\(XMLText.escaped(story.title))</title>
      <link>\(story.link)</link>
      <dc:creator>\(story.author)</dc:creator>
      <dc:date>\(story.published.internet)</dc:date>
      <description>\(story.summary)</description>

      """.utf8
    for tag in story.tags { bytes += "<dc:subject>\(XMLText.escaped(tag))</dc:subject>\n".utf8 }
    appendEncoded(story, to: &bytes)
    bytes += "</item>\n".utf8
  }

  private func appendJSON(_ story: Story, to bytes: inout [UInt8]) {
    bytes += "{\"id\":\"\(story.guid)\",\"url\":\"\(story.link)\",\"title\":\"".utf8
    JSONText.append(escaping: story.title.utf8.span, to: &bytes)
    bytes += "\",\"summary\":\"".utf8
    JSONText.append(escaping: story.summary.utf8.span, to: &bytes)
    bytes += "\",\"content_html\":\"".utf8
    for piece in story.body { JSONText.append(escaping: piece.html.span, to: &bytes) }
    let tags = story.tags.map { "\"\($0)\"" }.joined(separator: ",")
    bytes +=
      """
      ","authors":[{"name":"\(story.author)"}],"tags":[\(tags)],"date_published":"\(story.published.internet)",\
      "date_modified":"\(story.modified.internet)"}
      """.utf8
  }
}
