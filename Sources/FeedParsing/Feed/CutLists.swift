/// The lists of an item, or of the feed, that were longer than ``ParserLimits/listCount``.
struct CutLists: OptionSet {
  let rawValue: UInt32

  static let authors = CutLists(rawValue: 1)
  static let tags = CutLists(rawValue: 1 << 1)
  static let attachments = CutLists(rawValue: 1 << 2)
  /// The elements of modules of an item.
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

  /// The number of lists.
  var count: Int { rawValue.nonzeroBitCount }
}
