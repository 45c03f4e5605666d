import ArticleDocuments
import HTMLText
import ManagedContext
import NewsModel
import TextOutput

/// An event's line for people.
@MainActor
enum ChangeLine {
  static func text(_ line: ChangePrinter.Line, of transaction: HistoryTransaction) -> String {
    let start = "  \(localMinute(transaction.date))  \(DisplayWidth.padded(line.name, to: 6))  "
    let title = printable(line.event.article?.listTitle ?? line.guid ?? "(deleted)")
    var end = ""
    if case .update(let update?) = line.event.change {
      end = "  \(update.fields.map { $0.map(\.name).joined(separator: ", ") } ?? "changed again")"
    }
    if line.isArchived { end += "  to the archive" }
    if let feed = line.feed?.shownTitle ?? line.address { end += "  \(printable(feed))" }
    return start + title + end + "  \(line.event.id.key)\n"
  }
}
