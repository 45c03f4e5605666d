/// Reads a JSON Feed.
struct JSONFeedReader {
  var details = FeedDetails()
  var batch = ParsedItemBatch()

  mutating func read(_ body: [UInt8], source: DocumentSource, limits: ParserLimits) throws(FeedError) {
    throw .notAFeed(looksLike: "a JSON document, but no JSON Feed")
  }
}
