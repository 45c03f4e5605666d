internal import Markup

/// Elements that nobody closed and that swallow what belongs beside them, in damaged documents.
extension FeedBuilder {
  /// How many open elements end where the element `name` begins, unless the outermost of them is closed later: those
  /// that are open inside the innermost one that has a place for it.
  func countInDoubt(by meaning: ElementName) -> Int {
    for index in frames.indices.reversed() {
      let role = frames[index].role
      if role.hasPlace(for: meaning) { return frames.count - index - 1 }
      if role.isWhole { return 0 }
    }
    return 0
  }
}

extension FeedBuilder.Role {
  /// Whether no element inside of it can belong to what is around it.
  fileprivate var isWhole: Bool {
    switch self {
    case .item, .itemBehindSource, .feed, .root, .outside, .passedOver: true
    default: false
    }
  }

  /// Whether an element means something as a child. The parts of images and sources are not told from those of what
  /// is around them: only where they end decides.
  fileprivate func hasPlace(for meaning: ElementName) -> Bool {
    switch self {
    case .item, .itemBehindSource: meaning.isField(of: .item)
    case .feed: meaning.isField(of: .feed)
    case .person: meaning.isOfPerson
    case .media: meaning.vocabulary == .media && meaning.local != .none
    case .categories: meaning == ElementName(.iTunes, .category)
    default: false
    }
  }
}

extension ElementName {
  fileprivate var isOfPerson: Bool {
    switch local {
    case .name, .email, .uri, .url, .homepage: vocabulary.isCore
    default: false
    }
  }

  fileprivate func isField(of place: ElementTable.Place) -> Bool {
    vocabulary.isCore ? ElementTable.endsOthers(place, self) : isOfModule
  }

  /// Whether it is a known name of a module whose elements stand beside the fields of an item or a feed.
  private var isOfModule: Bool {
    switch vocabulary {
    case .content, .dublinCore, .dublinCoreTerms, .iTunes, .media, .podcast, .slash, .wfw, .thread, .geoRSS,
      .license, .burner, .syndication:
      local != .none
    default: false
    }
  }
}
