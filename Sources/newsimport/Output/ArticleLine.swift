import Foundation
import HTMLText
import ManagedContext
import NewsModel

/// An article in a list for people: when, where, what, and the number by which `show` finds it.
struct ArticleLine {
  private let date: String
  private let feed: String
  private let title: String
  private let number: String

  /// - Parameter article: One of the written store has a number; others have none.
  init(_ article: Article, _ feed: Feed?) {
    date = localMinute(article.published ?? article.modified ?? article.imported)
    self.feed = printable(feed?.title ?? feed?.url ?? "")
    let edits = article.edits > 0 ? "  edited \(article.edits)x" : ""
    title = printable(article.title ?? article.url ?? "(no title)") + edits
    number = article.id.store == 0 ? String(article.id.key) : "-"
  }

  /// The line, with its line feed.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal, which it fills; nil cuts no title.
  ///   - mark: Lets parts of the title stand out, in no more columns.
  func text(columns: Int?, _ mark: (String) -> String = { $0 }) -> String {
    let name = DisplayWidth.padded(DisplayWidth.cut(feed, to: Self.nameColumns), to: Self.nameColumns)
    let start = "  \(date)  \(name)  "
    guard let columns else { return "\(start)\(mark(title))  \(number)\n" }
    let room = max(Self.leastTitle, columns - DisplayWidth.columns(of: start) - number.count - 2)
    let shown = DisplayWidth.padded(DisplayWidth.cut(title, to: room), to: room)
    return "\(start)\(mark(shown))  \(number)\n"
  }

  private static let nameColumns = 20
  private static let leastTitle = 20
}
