import NewsModel
import TextOutput

/// The length of an article list, and the line at its end if it is cut.
struct ListLimit {
  /// The most articles that a terminal shows without `--limit`, whatever the command.
  static let onTerminal = 100

  /// The most articles; nil for all.
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

  /// The limit for chosen articles. The list does not mention a query's limit: `--limit` cannot exceed it.
  init(_ chosen: ChosenArticles, isOnTerminal: Bool, elsewhere usual: Int? = nil) {
    self.init(
      chosen.choice.limit, isOnTerminal: isOnTerminal && !chosen.hasLimitOfQuery, elsewhere: usual)
  }

  /// The count of articles to read: one more than are shown, to learn whether the list is cut.
  var read: Int? {
    guard isOnTerminal, let limit, limit < Int.max else { return limit }
    return limit + 1
  }

  /// Returns whether the list is full, so that a further article is not shown.
  ///
  /// - Parameter written: How many articles were written before.
  func isFull(_ written: Int) -> Bool { isOnTerminal && written == limit }

  /// Returns the line at the end of a cut list.
  ///
  /// - Parameter total: The count of all articles; nil if counting them would take too long.
  func text(of total: Int?) -> String {
    let shown = limit ?? 0
    guard let total, total > shown else {
      return "the first \(counted(shown, "article")); --limit N shows more\n"
    }
    return "\(grouped(shown)) of \(grouped(total)) articles; --limit N shows more\n"
  }
}
