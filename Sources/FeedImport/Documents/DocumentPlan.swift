package import DocumentReading
public import WebAddress

extension DocumentImport {
  /// What is imported, and how.
  public struct Plan: Sendable {
    /// The names of files of another program that cannot be read, for messages, each with the cause.
    public typealias UnreadFiles = [(name: String, cause: String)]
    /// Visits feeds of another program until `visit` returns false.
    public typealias Conversion = @Sendable (_ visit: (ConvertedFeed) -> Bool) -> UnreadFiles
    /// Returns the user's settings for the articles of a feed; the others are ignored.
    public typealias Settings =
      @Sendable (
        _ feed: WebAddress, _ regions: [String]
      ) throws(ImportFailure) -> ImportSelection.Settings

    /// Paths of files and folders; `-` is standard input.
    public var arguments: [String]
    /// Reads the articles of another program instead of ``arguments``; nil for none.
    public var converted: Conversion?
    /// True if all documents are lists of `ReaderItems`, whose feeds are added to a region.
    public var isOfReader = false
    /// The feed that all documents belong to; nil for the one that each states.
    public var feed: WebAddress?
    /// The region that the feeds are added to; nil for none.
    public var region: String?
    /// True to read documents again that were imported before.
    public var readsAgain = false
    /// True to count, and to save nothing.
    public var isDryRun = false
    /// True to read one document after the other, for a run that ends with the first that can be imported.
    public var isTrial = false
    /// Standard input and pipes that a trial and the run after it read; nil to read each only once.
    package var pipes: RepeatedPipes?
    /// The user's settings for each feed; nil if there are none.
    public var settings: Settings?

    /// Creates a plan.
    public init(arguments: [String]) {
      self.arguments = arguments
    }

    /// Returns whether there are as many documents as feeds in a first import that prepares the store, or as many bytes. A pipe may
    /// be slow, so it does not count.
    func isLarge(_ options: ImportOptions) -> Bool {
      converted != nil
        || InputReader(arguments.filter { $0 != "-" })
          .has(files: options.leastBulkFeeds, orBytes: options.leastBulkBytes)
    }
  }
}
