import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// An article as a page of text: its fields, its content, and the targets of its links.
@MainActor
struct ArticlePage {
  private let listed: ListedArticle
  private let entry: FeedEntry
  private let columns: Int

  /// - Parameter columns: The largest width of a line.
  init(_ listed: ListedArticle, columns: Int) {
    self.listed = listed
    entry = FeedEntry(listed)
    self.columns = columns
  }

  /// The page, with its last line feed.
  var text: String {
    let body = HTMLText(article.contentHTML ?? article.summary ?? "")
    let text = body.lines(columns: columns).map { printable($0) }
    let links = body.links.enumerated().map {
      "[\($0.offset + 1)] \(printable(WebAddress.withoutPassword($0.element)))"
    }
    return
      ([head, text, links, attachments, members].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") })
      .joined(separator: "\n\n") + "\n"
  }

  private var article: Article { listed.article }

  private var head: [String] {
    let date = localMinute(article.published ?? article.modified ?? article.imported)
    let edits = article.edits > 0 ? "edited \(article.edits)x" : ""
    let change = article.lastChange.map(\.names) ?? []
    let place = printable(entry.feedTitle ?? entry.feedURL ?? "")
    let title = HTMLText.wrapped(printable(article.title ?? "(no title)"), columns: columns)
    let last = change.isEmpty ? "" : "last change: \(change.joined(separator: ", "))"
    let origin = [place, date, authors, edits, last].filter { !$0.isEmpty }.joined(separator: "  ")
    return title.map { Style.bold($0, on: .standard) }
      + (DisplayWidth.columns(of: origin) > columns ? HTMLText.wrapped(origin, columns: columns) : [origin])
      + [
        article.url.map(Self.address),
        // Without a link of its own, the article's address is the other page.
        article.externalURL == article.url ? nil : article.externalURL.map { "about  " + Self.address($0) },
        article.commentsURL.map { "comments  " + Self.address($0) },
        CopiesLine.text(listed.otherFeeds),
      ].compactMap(\.self)
  }

  private static func address(_ url: String) -> String { printable(WebAddress.withoutPassword(url)) }

  private var authors: String {
    printable(entry.authors.compactMap { $0.name ?? $0.email }.joined(separator: ", "))
  }

  /// Lines such as "attachment  URL  audio/mpeg  1,204 bytes  1:02:30".
  private var attachments: [String] {
    entry.attachments.map { file in
      let size = file.bytes.map { "\(grouped($0)) bytes" }
      let duration = file.seconds.map(Self.clockText)
      let parts = ["attachment", WebAddress.withoutPassword(file.url), file.type, size, duration]
      return parts.compactMap { $0.map { printable($0) } }.joined(separator: "  ")
    }
  }
  /// Returns a duration as hours, minutes and seconds.
  private static func clockText(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e9)))
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    let rest = String(100 + whole % 60).dropFirst()
    return hours > 0 ? "\(hours):\(String(100 + minutes).dropFirst()):\(rest)" : "\(minutes):\(rest)"
  }

  /// The members that tell readers nothing: the text in another form, and properties of the document.
  private static let unshown: Set = ["content_text", "summary_type", "id_is_permalink"]

  /// A line for each member, such as "season  2". Lists and objects are JSON.
  private var members: [String] {
    guard let json = article.members,
      let members = (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String: Any]
    else { return [] }
    return members.filter { !Self.unshown.contains($0.key) }.sorted { $0.key < $1.key }.compactMap {
      name, value in
      let options: JSONSerialization.WritingOptions = [
        .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
      ]
      guard
        let text = value as? String
          ?? (try? JSONSerialization.data(withJSONObject: value, options: options))
          .map({ String(decoding: $0, as: UTF8.self) })
      else { return nil }
      return "\(printable(name))  \(printable(WebAddress.withoutPassword(text)))"
    }
  }
}
