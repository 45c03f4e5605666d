import FeedParsing

/// The articles that the user does not want from a feed. They are excluded before they are saved.
public struct ArticleFilter: Sendable, Equatable {
  /// A text that is searched in one field of an article, in any case.
  public struct Pattern: Sendable, Hashable {
    /// The field that is searched.
    public enum Field: String, Sendable, CaseIterable {
      case title
      /// The address of the article, or of the page it is about.
      case url
      /// An author's name or mail address.
      case author
      case tag
    }

    /// The field that is searched.
    public let field: Field
    /// The text, in lower case.
    public let text: String

    /// Reads `field:text`, such as `title:sponsored`; nil for an unknown field, and without a text.
    public init?(_ words: String) {
      let parts = words.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let field = Field(rawValue: String(parts[0])) else { return nil }
      self.field = field
      text = parts[1].lowercased()
    }
  }

  /// Articles that match one of these are excluded.
  public var skip: [Pattern]
  /// Articles that match none of these are excluded; empty for no such rule.
  public var only: [Pattern]

  /// Creates a filter; nil if it excludes nothing.
  public init?(skip: [Pattern], only: [Pattern]) {
    if skip.isEmpty && only.isEmpty { return nil }
    (self.skip, self.only) = (skip, only)
  }

  func kept(of items: ParsedItemBatch) -> [ParsedItem] {
    items.items.filter { item in
      let matches = { (pattern: Pattern) in pattern.matches(item, in: items) }
      return !skip.contains(where: matches) && (only.isEmpty || only.contains(where: matches))
    }
  }
}

extension ArticleFilter.Pattern: CustomStringConvertible {
  /// The pattern as the user writes it.
  public var description: String { "\(field.rawValue):\(text)" }

  fileprivate func matches(_ item: ParsedItem, in items: ParsedItemBatch) -> Bool {
    let isIn = { (slice: ByteSlice?) -> Bool in
      guard let slice else { return false }
      let found = String(decoding: items.bytes[slice.range], as: UTF8.self).lowercased()
      return found.utf8.contains(text.utf8)
    }
    switch field {
    case .title: return isIn(item.title)
    case .url: return isIn(item.url) || isIn(item.externalURL)
    case .author: return items.authors[item.authors.range].contains { isIn($0.name) || isIn($0.email) }
    case .tag: return items.tags[item.tags.range].contains { isIn($0) }
    }
  }
}
