import ManagedContext

extension HistoryOptions {
  /// The options for marks: they are followed, and the history keeps the articles of deleted marks.
  static let ofMarks: HistoryOptions = {
    var options = HistoryOptions()
    options.isFollowed = true
    options.deletedValues = [ReadMark.Key.article.name]
    return options
  }()

  /// The options for runs' claims: the history does not record them.
  static let ofClaims: HistoryOptions = {
    var options = HistoryOptions()
    options.isRecorded = false
    return options
  }()

  /// The options for feeds: the history keeps the addresses of deleted feeds. Feeds are not followed, because
  /// each server answer writes its feed.
  static let ofFeeds: HistoryOptions = {
    var options = HistoryOptions()
    options.deletedValues = [Feed.Key.url.name]
    return options
  }()
}
