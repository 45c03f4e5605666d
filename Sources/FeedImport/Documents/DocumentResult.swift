import DocumentReading
import FeedParsing
public import NewsModel
public import WebAddress

extension DocumentImport {
  /// The result of one document.
  public struct Result: Sendable {
    /// The name of the document: a path, or `-`.
    public let name: String
    /// The feed that the document belongs to; nil if that is unknown.
    public var feed: WebAddress?
    /// The outcome. Of a failed document, the complete articles were saved.
    public var outcome = FetchOutcome.failed
    /// The number of new articles.
    public var inserted = 0
    /// The number of edited articles.
    public var edited = 0
    /// The number of articles that the user's filter excluded.
    public var skipped = 0
    /// The cause of a failure in words; nil without one.
    public var cause: String? { causes.first }
    /// The causes of a failure: more than one for lines, of which each may fail.
    public var causes: [String] = []
    /// The number of lines that were not imported.
    public var failedLines = 0
    /// The number of articles that were left out: too damaged, or too long.
    public var dropped = 0
    /// The number of texts that were too long, and are kept in part.
    public var shortenedTexts = 0
    /// The number of lists that were too long, and are kept in part.
    public var shortenedLists = 0
    /// True if the document was not read to its end yet: the numbers are those of the articles so far.
    public var isOngoing = false
    /// True if the import was stopped before the end of the document.
    public var isStopped = false
    /// True if texts or lists of another program's articles are kept in part.
    public var hasCopiesInPart = false
    /// True if a part of the document was imported, and the rest was not.
    public var isPartial: Bool {
      isStopped || (!causes.isEmpty || isIncomplete) && !isUnreadable && !isMissing
    }
    /// True if articles, or parts of another program's articles, were left out.
    public var isIncomplete: Bool { dropped > 0 || hasCopiesInPart }
    /// A doubt about an archive that was read, in words; nil for a document.
    public var doubt: String?
    /// True if the document was imported before, and was passed over.
    public var isKnown = false
    /// True if no such file exists.
    public var isMissing = false
    /// True if the document is no feed at all, or could not be opened.
    public var isUnreadable = false
  }
}

extension DocumentImport.Result {
  init(name: String) {
    self.name = name
  }

  /// A document that cannot be read.
  init(unreadable name: String, _ cause: String) {
    self.init(name: name)
    (causes, isUnreadable) = ([cause], true)
  }

  /// An argument, or a file of a folder or an archive, that cannot be read.
  init(name: String, _ failure: InputFailure) {
    self.init(unreadable: name, failure.cause)
    isMissing = failure.kind == .missing
  }

  /// The articles so far of a document that is not at its end.
  var ongoing: DocumentImport.Result {
    var result = self
    (result.isOngoing, result.causes) = (true, [])
    return result
  }

  /// Returns the result with the articles that were saved.
  func saved(_ tally: ArticleTally) -> DocumentImport.Result {
    var result = self
    (result.inserted, result.edited) = (tally.inserted, tally.edited)
    if causes.isEmpty, dropped == 0 { result.outcome = tally == ArticleTally() ? .unchanged : .updated }
    return result
  }

  /// Adds what a document left out.
  mutating func add(_ job: FeedJob) {
    skipped = job.counts.skipped
    guard let details = job.details else { return }
    dropped = details.droppedItemCount
    (shortenedTexts, shortenedLists) = (details.shortenedTextCount, details.shortenedListCount)
  }

  /// Adds the articles of a part.
  mutating func add(_ part: DocumentImport.Result) {
    inserted += part.inserted
    edited += part.edited
    skipped += part.skipped
    dropped += part.dropped
    shortenedTexts += part.shortenedTexts
    shortenedLists += part.shortenedLists
    hasCopiesInPart = hasCopiesInPart || part.hasCopiesInPart
    causes += part.causes
    outcome = inserted + edited > 0 ? .updated : .unchanged
  }

  /// Adds lines that were not imported.
  mutating func add(_ mistakes: LineMistakes) {
    guard !mistakes.isEmpty else { return }
    causes += mistakes.causes
    failedLines += mistakes.lines
    outcome = .failed
  }
}
