/// The lists of an item, or of the feed, that were longer than ``ParserLimits/listCount``.
struct CutLists: OptionSet {
  let rawValue: UInt32

  static let authors = CutLists(rawValue: 1)
  static let tags = CutLists(rawValue: 1 << 1)
  static let attachments = CutLists(rawValue: 1 << 2)
  /// What modules say of an item.
  static let extensions = CutLists(rawValue: 1 << 3)
  static let contributors = CutLists(rawValue: 1 << 4)
  static let categories = CutLists(rawValue: 1 << 5)
  static let keywords = CutLists(rawValue: 1 << 6)
  static let licenses = CutLists(rawValue: 1 << 7)
  static let hubs = CutLists(rawValue: 1 << 8)
  static let links = CutLists(rawValue: 1 << 9)
  static let funding = CutLists(rawValue: 1 << 10)
  static let persons = CutLists(rawValue: 1 << 11)
  static let values = CutLists(rawValue: 1 << 12)
  static let recipients = CutLists(rawValue: 1 << 13)
  static let texts = CutLists(rawValue: 1 << 14)
  static let places = CutLists(rawValue: 1 << 15)
  static let trailers = CutLists(rawValue: 1 << 16)

  /// How many lists.
  var count: Int { rawValue.nonzeroBitCount }
}

extension FeedBuilder {
  /// Whether a list of `count` entries may have another one; notes that it was cut where not.
  mutating func hasRoom(_ count: Int, in list: CutLists) -> Bool {
    if count < limits.listCount { return true }
    if isInItem { item.cuts.insert(list) } else { noteCut(list) }
    return false
  }

  /// A list of the feed was cut; each counts once.
  private mutating func noteCut(_ list: CutLists) {
    if ranks.cuts.insert(list).inserted { details.shortenedListCount += 1 }
  }
}
