import NewsModel
import SQLiteStore

/// Prints a list of articles in the form that was asked for.
@MainActor
struct ArticlePrinter<Field: RecordField>
where Field.Subject == ListedArticle, Field.Format == ArticleFormat {
  /// Whether no article was written yet.
  private(set) var isEmpty = true
  /// Whether it is read by people, who are told what to do next.
  var isForPeople: Bool { lines == nil && document == nil }

  private let options: RecordOptions<Field>
  private let lines: RecordLines<Field>?
  private var document: FeedDocument?
  private let columns = Output.standard.columns
  private let tellsUnread: Bool

  /// - Parameters:
  ///   - title: What a feed of the articles is called.
  ///   - more: Fields of records beside the standard ones.
  ///   - tellsUnread: Whether articles that are not marked read stand out on a terminal.
  init(_ options: RecordOptions<Field>, title: String, more: [Field], tellsUnread: Bool = false) {
    self.options = options
    self.tellsUnread = tellsUnread
    lines = options.records(with: more)
    document = options.format?.document.map { FeedDocument($0, title: title) }
  }

  /// Writes what comes before the first article, where that is something.
  func begin() {
    if let header = lines?.header ?? document?.head { writeRecord(header) }
  }

  /// Writes an article.
  mutating func write(_ listed: ListedArticle) {
    isEmpty = false
    if let lines {
      writeRecord(lines.line(listed))
    } else if let item = document?.item(listed) {
      writeRecord(item)
    } else {
      let standsOut = tellsUnread && !listed.marks.contains(.read)
      let line = ArticleLine(
        listed.article, number: listed.number, listed.feed, marks: listed.marks,
        // Where nothing can be bold; in a pipe all lines are as they were, for scripts.
        marksUnread: tellsUnread && Output.standard.isTerminal && Style.isPlain(.standard)
      ).text(columns: columns) { title in
        if let hits = listed.hits?.title, !Style.isPlain(.standard) {
          return SearchLine.marked(title, hits) { Style.hit($0, on: .standard) }
        }
        return standsOut ? Style.bold(title, on: .standard) : title
      }
      let snippet = SearchLine.text(listed.hits?.snippet, columns: columns) { Style.hit($0, on: .standard) }
      Output.standard.write(options.ended(line + (snippet ?? "")))
    }
  }

  /// Writes what comes behind the last article, where that is something.
  func finish() {
    if let tail = document?.tail { writeRecord(tail) }
  }
}
