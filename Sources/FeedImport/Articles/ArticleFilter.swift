import FeedParsing

/// Which articles of a feed the user does not want: they are left out before they are saved.
public struct ArticleFilter: Sendable, Equatable {
  /// A text that is looked for in one field of an article, whatever the case of its letters.
  public struct Pattern: Sendable, Hashable {
    /// Where it is looked for.
    public enum Field: String, Sendable, CaseIterable {
      case title
      /// The address of the article, or of the page that it is about.
      case url
      /// The name or the mail address of an author.
      case author
      case tag
    }

    /// Where it is looked for.
    public let field: Field
    /// What is looked for, in lower case.
    public let text: String

    /// Reads `field:text`, such as `title:sponsored`.
    ///
    /// Nil for another field, and where there is no text.
    public init?(_ words: String) {
      let parts = words.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let field = Field(rawValue: String(parts[0])) else { return nil }
      self.field = field
      text = parts[1].lowercased()
    }
  }

  /// Articles with one of these are left out.
  public var skip: [Pattern]
  /// Articles without any of these are left out; empty for no such rule.
  public var only: [Pattern]

  /// Nil for a filter that leaves nothing out.
  public init?(skip: [Pattern], only: [Pattern]) {
    if skip.isEmpty && only.isEmpty { return nil }
    (self.skip, self.only) = (skip, only)
  }

  /// The items that stay.
  func kept(of items: ParsedItemBatch) -> [ParsedItem] {
    items.items.filter { item in
      let matches = { (pattern: Pattern) in pattern.matches(item, in: items) }
      return !skip.contains(where: matches) && (only.isEmpty || only.contains(where: matches))
    }
  }
}

extension ArticleFilter.Pattern {
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
