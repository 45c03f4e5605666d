import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// The line of an article in a list: date, feed, title, and the number for `show`.
struct ArticleLine {
  private let date: String
  private let feed: String
  private let title: String
  /// The number of edits as text; empty for none.
  private let edits: String
  private let number: String

  /// - Parameters:
  ///   - number: The number that commands use for the article.
  ///   - feed: Nil if the feed no longer exists.
  ///   - marks: A starred article has a star before its title.
  ///   - marksUnread: True if an article that is not marked read has a sign before its title.
  init(
    _ article: Article, number: ArticleNumber, _ feed: Feed?, marks: Set<ArticleMark> = [],
    marksUnread: Bool = false
  ) {
    date = localMinute(article.listDate(at: Date()))
    self.feed = printable(feed?.shownTitle ?? feed?.url.withoutPassword ?? "")
    edits = article.edits > 0 ? "  edited \(article.edits)x" : ""
    let star = marks.contains(.starred) ? "★ " : ""
    let sign = marksUnread && !marks.contains(.read) ? "* " : ""
    title = sign + star + printable(article.listTitle)
    self.number = printable(number.description)
  }

  /// Returns the line with its line feed.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal, which the line fills; nil for an uncut line.
  ///   - dim: Makes the number of edits less visible.
  ///   - style: Highlights the title.
  func text(
    columns: Int?, dim: (String) -> String = { $0 }, _ style: (String) -> String = { $0 }
  ) -> String {
    let shownFeed = columns == nil ? feed : DisplayWidth.cut(feed, to: Self.nameColumns)
    let name = DisplayWidth.padded(shownFeed, to: Self.nameColumns)
    let start = "  \(date)  \(name)  "
    guard let columns else { return "\(start)\(style(title))\(edits)  \(number)\n" }
    let room = max(
      Self.leastTitle, columns - DisplayWidth.columns(of: start) - DisplayWidth.columns(of: number) - 2)
    // The number of edits is shown even after a long title.
    let shown = DisplayWidth.cut(title, to: max(1, room - edits.count))
    let gap = String(repeating: " ", count: max(0, room - DisplayWidth.columns(of: shown) - edits.count))
    return "\(start)\(style(shown))\(gap)\(dim(edits))  \(number)\n"
  }

  private static let nameColumns = 20
  private static let leastTitle = 20
}
