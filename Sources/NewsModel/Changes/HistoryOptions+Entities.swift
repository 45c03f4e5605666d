import ManagedContext

extension HistoryOptions {
  /// What the history keeps of the marks of articles.
  static let ofMarks: HistoryOptions = {
    var options = HistoryOptions()
    options.isFollowed = true
    options.deletedValues = [ReadMark.Key.article.name]
    return options
  }()

  /// What the history keeps of the claims of runs: nothing.
  static let ofClaims: HistoryOptions = {
    var options = HistoryOptions()
    options.isRecorded = false
    return options
  }()

  /// What the history keeps of feeds. They are not followed: each answer of a server writes its feed.
  static let ofFeeds: HistoryOptions = {
    var options = HistoryOptions()
    options.deletedValues = [Feed.Key.url.name]
    return options
  }()
}
