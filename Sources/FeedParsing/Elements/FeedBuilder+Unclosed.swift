internal import Markup

/// Elements without end tags that swallow the elements after them, in damaged documents.
extension FeedBuilder {
  /// Returns the number of open elements that end where the element `name` begins, unless the outermost of them is
  /// closed later: those inside the innermost element in which `name` has a meaning.
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
  /// True if no element inside it can belong to an element around it.
  fileprivate var isWhole: Bool {
    switch self {
    case .item, .itemBehindSource, .feed, .root, .outside, .passedOver: true
    default: false
    }
  }

  /// Returns whether an element has a meaning as a child. The parts of images and sources are not distinguished from
  /// the parts of the elements around them: only the position of the end tag decides.
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

  /// True for a known name of a module whose elements occur next to the fields of an item or a feed.
  private var isOfModule: Bool {
    switch vocabulary {
    case .content, .dublinCore, .dublinCoreTerms, .iTunes, .media, .podcast, .slash, .wfw, .thread, .geoRSS,
      .license, .burner, .syndication:
      local != .none
    default: false
    }
  }
}
