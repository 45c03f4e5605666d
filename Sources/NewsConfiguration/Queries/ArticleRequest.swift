package import NewsModel

/// The articles that a user asks for, with a command's options or in a query in the configuration.
package struct ArticleRequest: Sendable, Equatable {
  /// Regions, and queries with an `@`; empty for all articles.
  package var names: [String] = []
  /// Feed addresses, or parts of them; empty for all.
  package var feeds: [String] = []
  /// The words that articles must have; nil for any.
  package var match: String?
  /// The other conditions, which need neither the store nor the configuration.
  package var choice = ArticleChoice()

  package init(names: [String] = [], feeds: [String] = []) {
    (self.names, self.feeds) = (names, feeds)
  }
}

extension ArticleChoice {
  /// The required article states in words.
  package var states: [String] {
    [
      marks[.read].map { $0 ? "read" : "unread" }, marks[.starred].map { _ in "starred" },
      isEdited ? "edited" : nil, hasAttachment ? "with files" : nil,
    ].compactMap(\.self)
  }
}
