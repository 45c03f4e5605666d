import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// An article as a page of text: its fields, its content, and the targets of its links.
@MainActor
struct ArticlePage {
  private let article: Article
  private let entry: FeedEntry
  private let columns: Int

  /// - Parameter columns: The largest width of a line.
  init(_ article: Article, _ feed: Feed?, columns: Int) {
    self.article = article
    entry = FeedEntry(ListedArticle(article, number: nil, feed))
    self.columns = columns
  }

  /// The page, with its last line feed.
  var text: String {
    let body = HTMLText(article.contentHTML ?? article.summary ?? "")
    let text = body.lines(columns: columns).map { printable($0) }
    let links = body.links.enumerated().map {
      "[\($0.offset + 1)] \(printable(WebAddress.withoutPassword($0.element)))"
    }
    return ([head, text, links, attachments].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") })
      .joined(separator: "\n\n") + "\n"
  }

  private var head: [String] {
    let date = localMinute(article.published ?? article.modified ?? article.imported)
    let edits = article.edits > 0 ? "edited \(article.edits)x" : ""
    let place = printable(entry.feedTitle ?? entry.feedURL ?? "")
    let title = HTMLText.wrapped(printable(article.title ?? "(no title)"), columns: columns)
    let origin = [place, date, authors, edits].filter { !$0.isEmpty }.joined(separator: "  ")
    return title.map { Style.bold($0, on: .standard) }
      + (DisplayWidth.columns(of: origin) > columns ? HTMLText.wrapped(origin, columns: columns) : [origin])
      + [article.url.map { printable(WebAddress.withoutPassword($0)) }].compactMap(\.self)
  }

  private var authors: String {
    printable(entry.authors.compactMap { $0.name ?? $0.email }.joined(separator: ", "))
  }

  /// Lines such as "attachment  URL  audio/mpeg  1,204 bytes".
  private var attachments: [String] {
    entry.attachments.map { file in
      let size = file.bytes.map { "\(grouped($0)) bytes" }
      let parts = ["attachment", WebAddress.withoutPassword(file.url), file.type, size]
      return parts.compactMap { $0.map { printable($0) } }.joined(separator: "  ")
    }
  }
}
