import DocumentReading
public import WebAddress

extension DocumentImport {
  /// The documents to import, and how.
  public struct Plan: Sendable {
    /// Another program's files that cannot be read, by name for messages, each with the cause.
    public typealias UnreadFiles = [(name: String, cause: String)]
    /// Visits another program's feeds until `visit` returns false.
    public typealias Conversion = @Sendable (_ visit: (ConvertedFeed) -> Bool) -> UnreadFiles
    /// Returns the user's settings for a feed's articles; the other settings are ignored.
    public typealias Settings =
      @Sendable (
        _ feed: WebAddress, _ regions: [String]
      ) throws(ImportFailure) -> ImportSelection.Settings

    /// File and folder paths; `-` is standard input.
    public var arguments: [String]
    /// Reads another program's articles instead of ``arguments``; nil to read the arguments.
    public var converted: Conversion?
    /// True if all documents are lists in Google Reader's format, whose feeds are added to a region.
    public var isOfReader = false
    /// The feed that all documents belong to; nil to use the feed that each document states.
    public var feed: WebAddress?
    /// The region that the feeds are added to; nil for none.
    public var region: String?
    /// True to read documents that were imported before.
    public var readsAgain = false
    /// True to count, and to save nothing.
    public var isDryRun = false
    /// The user's settings for each feed; nil without any.
    public var settings: Settings?

    /// Creates a plan.
    public init(arguments: [String]) {
      self.arguments = arguments
    }

    /// Returns whether there are as many documents, or bytes, as in a first import that prepares the store.
    /// Pipes do not count, because they may be slow.
    func isLarge(_ options: ImportOptions) -> Bool {
      converted != nil
        || InputReader(arguments.filter { $0 != "-" })
          .has(files: options.leastBulkFeeds, orBytes: options.leastBulkBytes)
    }
  }
}
