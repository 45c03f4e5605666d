import DocumentReading
import FeedParsing
public import NewsModel
public import WebAddress

extension DocumentImport {
  /// The result of one document.
  public struct Result: Sendable {
    /// The document's name: a path, or `-`.
    public let name: String
    /// The feed that the document belongs to; nil if unknown.
    public var feed: WebAddress?
    /// The outcome. The complete articles from a failed document were saved.
    public var outcome = FetchOutcome.failed
    /// The number of new articles.
    public var inserted = 0
    /// The number of edited articles.
    public var edited = 0
    /// The number of articles that the user's filter excluded.
    public var skipped = 0
    /// The cause of a failure in words; nil without a failure.
    public var cause: String? { causes.first }
    /// The causes of a failure; several if a document has lines, because each line may fail.
    public var causes: [String] = []
    /// The number of lines that were not imported.
    public var failedLines = 0
    /// The number of articles that were left out: too damaged, or too long.
    public var dropped = 0
    /// The number of texts that were too long, and are kept in part.
    public var shortenedTexts = 0
    /// The number of lists that were too long, and are kept in part.
    public var shortenedLists = 0
    /// True if the document was not read to its end yet: the numbers are for the articles so far.
    public var isOngoing = false
    /// True if the import was stopped before the document's end.
    public var isStopped = false
    /// True if texts or lists in another program's articles are kept in part.
    public var hasCopiesInPart = false
    /// True if only a part of the document was imported.
    public var isPartial: Bool {
      isStopped || (!causes.isEmpty || isIncomplete) && !isUnreadable && !isMissing
    }
    /// True if articles, or parts of another program's articles, were left out.
    public var isIncomplete: Bool { dropped > 0 || hasCopiesInPart }
    /// A doubt about an archive that was read, in words; nil for a document.
    public var doubt: String?
    /// True if the document was imported before, and was skipped.
    public var isKnown = false
    /// True if no such file exists.
    public var isMissing = false
    /// True if the document is not a feed, or could not be opened.
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

  /// An unreadable argument, or an unreadable file in a folder or an archive.
  init(name: String, _ failure: InputFailure) {
    self.init(unreadable: name, failure.cause)
    isMissing = failure.kind == .missing
  }

  /// The articles so far in an unfinished document.
  var ongoing: DocumentImport.Result {
    var result = self
    (result.isOngoing, result.causes) = (true, [])
    return result
  }

  /// Returns the result with the numbers of saved articles.
  func saved(_ tally: ArticleTally) -> DocumentImport.Result {
    var result = self
    (result.inserted, result.edited) = (tally.inserted, tally.edited)
    if causes.isEmpty, dropped == 0 { result.outcome = tally == ArticleTally() ? .unchanged : .updated }
    return result
  }

  /// Adds the numbers of omissions in a document.
  mutating func add(_ job: FeedJob) {
    skipped = job.counts.skipped
    guard let details = job.details else { return }
    dropped = details.droppedItemCount
    (shortenedTexts, shortenedLists) = (details.shortenedTextCount, details.shortenedListCount)
  }

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
