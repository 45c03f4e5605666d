import ArticleDocuments
import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// An article's line in a list: date, feed, title, and the number for `show`.
struct ArticleLine {
  private let date: Date
  private let feed: String
  private let title: String
  /// The edit count as text; empty for none.
  private let edits: String
  private let number: String

  /// - Parameters:
  ///   - number: The number that commands use for the article.
  ///   - feed: Nil if the feed no longer exists.
  ///   - marks: A starred article has a star before its title.
  ///   - marksUnread: True if an article that is not marked read has a sign before its title.
  init(
    _ article: some EntityValues<Article>, number: ArticleNumber, _ feed: Feed?, marks: Set<ArticleMark> = [],
    marksUnread: Bool = false
  ) {
    date = article.listDate(at: Date())
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
  ///   - columns: The terminal's width, which the line fills; nil for an uncut line.
  ///   - dim: Makes the edit count less visible.
  ///   - style: Highlights the title.
  func text(
    columns: Int?, dim: (String) -> String = { $0 }, _ style: (String) -> String = { $0 }
  ) -> String {
    guard let columns else {
      let name = DisplayWidth.padded(feed, to: Self.nameColumns)
      return "  \(localMinute(date))  \(name)  \(style(title))\(edits)  \(number)\n"
    }
    let start = start(columns: columns)
    let room = max(
      10, columns - DisplayWidth.columns(of: start) - DisplayWidth.columns(of: number) - 2)
    // The edit count is shown even after a long title, unless a title would get no room.
    let edits = room - edits.count < Self.leastTitle ? "" : edits
    let shown = DisplayWidth.cut(title, to: room - edits.count)
    let gap = String(repeating: " ", count: max(0, room - DisplayWidth.columns(of: shown) - edits.count))
    return "\(start)\(style(shown))\(gap)\(dim(edits))  \(number)\n"
  }

  /// Returns the columns before the title. On a narrow terminal, the feed gives way first, then the time.
  private func start(columns: Int) -> String {
    let date = columns < 50 ? localDay(date) : localMinute(date)
    let room = min(Self.nameColumns, columns - 50, columns / 5)
    guard room >= 8 else { return "  \(date)  " }
    return "  \(date)  \(DisplayWidth.padded(DisplayWidth.cut(feed, to: room), to: room))  "
  }

  /// Returns the indent for the lines below an article's line.
  static func indent(columns: Int?) -> String {
    String(repeating: " ", count: columns ?? .max < 60 ? 4 : 20)
  }

  private static let nameColumns = 20
  private static let leastTitle = 15
}
