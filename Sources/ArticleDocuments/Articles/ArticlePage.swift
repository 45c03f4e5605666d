import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// An article as a text page: its fields, its content, and its link targets.
@MainActor
package struct ArticlePage {
  /// The highlighting of a page's parts.
  package struct Highlights: Sendable {
    package typealias Part = @MainActor (String) -> String

    let title: Part
    let rule: Part
    let deletion: Part

    package init(title: @escaping Part, rule: @escaping Part, deletion: @escaping Part) {
      (self.title, self.rule, self.deletion) = (title, rule, deletion)
    }

    /// Plain text.
    package static let none = Highlights(title: { $0 }, rule: { $0 }, deletion: { $0 })
  }

  /// The line width for outputs that are no terminal.
  package static let standardColumns = 80

  private let listed: ListedArticle
  private let hasVersions: Bool
  private let entry: FeedEntry
  private let columns: Int
  private let highlights: Highlights

  /// - Parameters:
  ///   - hasVersions: True if the article has former versions.
  ///   - columns: The largest line width.
  package init(
    _ listed: ListedArticle, hasVersions: Bool, columns: Int = standardColumns,
    _ highlights: Highlights = .none
  ) {
    (self.listed, self.hasVersions, self.columns) = (listed, hasVersions, columns)
    self.highlights = highlights
    entry = FeedEntry(listed)
  }

  /// The page, with its last line feed.
  package var text: String {
    let body = HTMLText(listed[Article.schema.contentHTML] ?? listed[Article.schema.summary] ?? "")
    let lines = body.lines(columns: columns).map { printable($0) }
    let text = body.hasDeletions ? markingDeletions(in: lines) : lines
    let links = body.links.enumerated().map {
      "[\($0.offset + 1)] \(Self.address($0.element))"
    }
    return
      ([head, text, links, attachments, members].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") })
      .joined(separator: "\n\n") + "\n"
  }

  /// Returns lines with deleted text in the colour of a removal, also where it continues on the next line.
  private func markingDeletions(in lines: [String]) -> [String] {
    var isDeleted = false
    return lines.map { line in
      let parts = line.split(separator: HTMLText.deletion, omittingEmptySubsequences: false)
      return parts.enumerated().map { place, part in
        if place > 0 { isDeleted.toggle() }
        return isDeleted && !part.isEmpty ? highlights.deletion(String(part)) : String(part)
      }.joined(separator: HTMLText.deletion)
    }
  }

  /// The line above an article's page if there are several: a rule with the article's number and marks.
  package var rule: String {
    let marks = [
      listed.marks.contains(.read) ? "read" : nil, listed.marks.contains(.starred) ? "starred" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    let start = "── \(printable(listed.number.description))\(marks.isEmpty ? "" : "  \(marks)") "
    let rest = String(repeating: "─", count: max(0, columns - DisplayWidth.columns(of: start)))
    return highlights.rule(start + rest) + "\n"
  }

  private var head: [String] {
    let date = localMinute(
      listed[Article.schema.published] ?? listed[Article.schema.modified] ?? listed[Article.schema.imported])
    let change = listed[Article.schema.storedChange].map { ChangeKinds(rawValue: $0).names } ?? []
    let place = printable(entry.feedTitle ?? entry.feedURL ?? "")
    let title = HTMLText.wrapped(printable(listed.listTitle), columns: columns)
    let last = change.isEmpty ? "" : "last change: \(change.joined(separator: ", "))"
    let origin = [place, date, authors, edits, listed.version == nil ? last : ""].filter { !$0.isEmpty }
      .joined(separator: "  ")
    return title.map(highlights.title)
      + (DisplayWidth.columns(of: origin) > columns ? HTMLText.wrapped(origin, columns: columns) : [origin])
      + [
        listed.version?.text,
        entry.url.map { url in
          WebAddress(url).problem == nil
            ? Self.address(url) : "link  \(Self.address(url))  (no page on the web)"
        },
        // Without a link of its own, the article's address is the other page.
        entry.externalURL == entry.url ? nil : entry.externalURL.map { "about  " + Self.address($0) },
        entry.commentsURL.map { "comments  " + Self.address($0) },
        listed.copiesText,
      ].compactMap(\.self)
  }

  /// The edit count and the command that shows them; empty for a version.
  private var edits: String {
    guard listed.version == nil else { return "" }
    let edits = listed[Article.schema.edits]
    let parts = [
      edits > 0 ? "edited \(edits)x" : hasVersions ? "changed" : nil,
      hasVersions ? "newsimport diff \(printable(listed.number.description))" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  private static func address(_ url: String) -> String { withEscapes(WebAddress.withoutPassword(url)) }

  private var authors: String {
    printable(entry.authors.compactMap { $0.name ?? $0.email }.joined(separator: ", "))
  }

  /// Lines such as "attachment  URL  audio/mpeg  1,204 bytes  1:02:30".
  private var attachments: [String] {
    entry.attachments.map { file in
      let size = file.bytes.map { "\(grouped($0)) bytes" }
      let duration = file.seconds.map(ListText.clock)
      let parts = ["attachment", WebAddress.withoutPassword(file.url), file.type, size, duration]
      return parts.compactMap { $0.map { printable($0) } }.joined(separator: "  ")
    }
  }

  /// The members that are no use to readers: the text in another form, and properties of the document.
  private static let unshown: Set = ["content_text", "summary_type", "id_is_permalink"]

  /// A line for each member, such as "season  2".
  private var members: [String] {
    let pairs = listed[Article.schema.members].flatMap { ListText.pairs(of: $0) } ?? []
    return pairs.filter { !Self.unshown.contains($0.name) }.map {
      "\(printable($0.name))  \(printable($0.text))"
    }
  }
}
