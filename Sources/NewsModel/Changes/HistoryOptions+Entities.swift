import ManagedContext

extension HistoryOptions {
  /// The options for marks: they are followed, and the history keeps the articles of deleted marks.
  static func ofMarks(on article: Attribute<ManagedObjectID>) -> HistoryOptions {
    var options = HistoryOptions()
    options.isFollowed = true
    options.deletedValues = [article.name]
    return options
  }

  /// The options for runs' claims: the history does not record them.
  static let ofClaims: HistoryOptions = {
    var options = HistoryOptions()
    options.isRecorded = false
    return options
  }()

  /// The options for feeds: the history keeps the addresses of deleted feeds. Feeds are not followed, because
  /// each server answer writes its feed.
  static func ofFeeds(_ schema: Feed.Schema) -> HistoryOptions {
    var options = HistoryOptions()
    options.deletedValues = [schema.url.name]
    return options
  }
}
