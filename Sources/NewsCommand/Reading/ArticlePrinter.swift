import ArticleDocuments
import ManagedContext
import NewsModel
import TextSearch

/// Prints a list of articles in the requested format.
@MainActor
struct ArticlePrinter<Fields: RecordFields>
where Fields.Subject == ListedArticle, Fields.Format == ArticleFormat {
  /// True until an article was written.
  private(set) var isEmpty = true
  /// True if people read the output; they also get hints about the next command.
  var isForPeople: Bool { lines == nil && document == nil }

  /// The article attributes to read.
  var columns: AttributeSet { lines.map { ArticleFields.columns(of: $0.fields) } ?? .all }

  /// The marks to read.
  var marks: Set<ArticleMark> {
    if let lines { return ArticleFields.marks(of: lines.fields) }
    return document == nil ? marksUnread ? ArticleMark.all : [.starred] : []
  }

  /// True if articles that are not marked read are highlighted on a terminal.
  var marksUnread = false

  private let options: RecordOptions<Fields>
  private let lines: RecordLines<ListedArticle>?
  private var document: (any ArticleDocument)?
  private let width = Output.standard.columns

  /// - Parameters:
  ///   - title: The title for a feed with the articles.
  ///   - more: Record fields in addition to the standard ones.
  init(
    _ options: RecordOptions<Fields>, title: String, more: [RecordField<ListedArticle>] = []
  ) {
    self.options = options
    lines = options.records(with: more)
    document = options.format?.document(title: title)
  }

  /// Writes the part before the first article, if the format has one.
  func begin() {
    if let header = lines?.header ?? document?.head { writeRecord(header) }
  }

  mutating func write(_ listed: ListedArticle) {
    isEmpty = false
    if let lines {
      lines.write(listed)
    } else if document != nil {
      Output.standard.writeBytes { document?.write(listed, to: &$0) }
    } else {
      let standsOut = marksUnread && !listed.marks.contains(.read)
      let line = ArticleLine(
        listed, number: listed.number, listed.feed, marks: listed.marks,
        // The sign replaces bold text on a terminal without it. In a pipe, lines stay unchanged for scripts.
        marksUnread: marksUnread && Output.standard.isTerminal && Style.isPlain(.standard)
      ).text(columns: width, dim: { Style.dim($0, on: .standard) }) { title in
        if let hits = listed.hits?.title, !Style.isPlain(.standard) {
          return SearchLine.marked(title, hits) { Style.hit($0, on: .standard) }
        }
        return standsOut ? Style.bold(title, on: .standard) : title
      }
      let marks = Style.isPlain(.standard) ? 2 : 0
      let snippet = SearchLine.text(listed.hits?.snippet, columns: width, marks: marks) {
        Style.hit($0, on: .standard)
      }
      let copies = CopiesLine.text(listed, columns: width)
      Output.standard.write(options.ended(line + (snippet ?? "") + (copies ?? "")))
    }
  }

  /// Writes the part after the last article, if the format has one.
  func finish() {
    if let tail = document?.tail { writeRecord(tail) }
  }
}
