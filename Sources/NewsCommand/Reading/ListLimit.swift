import NewsModel
import TextOutput

/// The length of a list of articles, and the line at its end if it is cut.
struct ListLimit {
  /// The largest number of articles that a terminal shows without `--limit`, whatever the command.
  static let onTerminal = 100

  /// The largest number of articles; nil for all.
  let limit: Int?
  /// True if people see the list on a terminal.
  let isOnTerminal: Bool

  /// - Parameters:
  ///   - limit: The limit that the user has given; nil without one.
  ///   - isOnTerminal: True if people see the list on a terminal.
  ///   - usual: The limit elsewhere without one that is given; nil for all articles.
  init(_ limit: Int?, isOnTerminal: Bool, elsewhere usual: Int? = nil) {
    self.limit = limit ?? (isOnTerminal ? Self.onTerminal : usual)
    self.isOnTerminal = isOnTerminal
  }

  /// The limit of chosen articles. The list says nothing about a limit of a query: `--limit` cannot exceed it.
  init(_ chosen: ChosenArticles, isOnTerminal: Bool, elsewhere usual: Int? = nil) {
    self.init(
      chosen.choice.limit, isOnTerminal: isOnTerminal && !chosen.hasLimitOfQuery, elsewhere: usual)
  }

  /// The number of articles to read: one more than are shown tells whether the list is cut.
  var read: Int? {
    guard isOnTerminal, let limit, limit < Int.max else { return limit }
    return limit + 1
  }

  /// Returns whether there is an article after those of the list.
  ///
  /// - Parameter written: The number of articles that were written before.
  func isFull(_ written: Int) -> Bool { isOnTerminal && written == limit }

  /// Returns the line at the end of a list that is cut.
  ///
  /// - Parameter total: The number of all articles; nil if counting them would take too long.
  func text(of total: Int?) -> String {
    let shown = limit ?? 0
    guard let total, total > shown else {
      return "the first \(counted(shown, "article")); --limit N shows more\n"
    }
    return "\(grouped(shown)) of \(grouped(total)) articles; --limit N shows more\n"
  }
}
