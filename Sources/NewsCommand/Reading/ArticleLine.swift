import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// An article in a list for people: when, where, what, and the number by which `show` finds it.
struct ArticleLine {
  private let date: String
  private let feed: String
  private let title: String
  /// How often it was edited, in words; empty for never.
  private let edits: String
  private let number: String

  /// - Parameters:
  ///   - number: Nil for an article of an attached store.
  ///   - feed: Nil where it is no more.
  ///   - marks: A starred one has a star before its title.
  ///   - marksUnread: Whether one that is not marked read has a sign before its title.
  init(
    _ article: Article, number: Int64?, _ feed: Feed?, marks: Set<ArticleMark> = [], marksUnread: Bool = false
  ) {
    date = localMinute(article.listDate(at: Date()))
    self.feed = printable(feed?.shownTitle ?? feed?.url.withoutPassword ?? "")
    edits = article.edits > 0 ? "  edited \(article.edits)x" : ""
    let star = marks.contains(.starred) ? "★ " : ""
    let sign = marksUnread && !marks.contains(.read) ? "* " : ""
    title = sign + star + printable(article.title ?? article.url ?? "(no title)")
    self.number = number.map(String.init) ?? "-"
  }

  /// The line, with its line feed.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal, which it fills; nil cuts nothing.
  ///   - style: Makes the title stand out.
  func text(columns: Int?, _ style: (String) -> String = { $0 }) -> String {
    let shownFeed = columns == nil ? feed : DisplayWidth.cut(feed, to: Self.nameColumns)
    let name = DisplayWidth.padded(shownFeed, to: Self.nameColumns)
    let start = "  \(date)  \(name)  "
    guard let columns else { return "\(start)\(style(title))\(edits)  \(number)\n" }
    let room = max(Self.leastTitle, columns - DisplayWidth.columns(of: start) - number.count - 2)
    // What was edited says so, however long its title is.
    let shown = DisplayWidth.cut(title, to: max(1, room - edits.count))
    let gap = String(repeating: " ", count: max(0, room - DisplayWidth.columns(of: shown) - edits.count))
    return "\(start)\(style(shown))\(edits)\(gap)  \(number)\n"
  }

  private static let nameColumns = 20
  private static let leastTitle = 20
}
