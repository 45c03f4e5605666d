/// The fields of the current item; slices count from its start.
struct ItemFields {
  struct Body {
    var text: ByteSlice
    var isPlain: Bool
    /// True if its addresses are still relative to the item's page.
    var isRelative = false
  }

  var id = Ranked<ByteSlice>()
  var url = Ranked<ByteSlice>()
  var externalURL: ByteSlice?
  var title = Ranked<ByteSlice>()
  var content = Ranked<Body>()
  var description = Ranked<Body>()
  var image = Ranked<ByteSlice>()
  var language = Ranked<ByteSlice>()
  var published = Ranked<Int64>()
  /// The rank in ``published`` for a date of any kind, such as `dc:date`.
  static let anyDate: UInt8 = 2
  var modified = Ranked<Int64>()
  var authorRank = UInt8.max
  var idIsPermaLink: Bool?
  /// `itunes:duration`, in seconds.
  var duration: Int64?
  /// True if its content is a file at another address.
  var hasContentFile = false
  /// The item's lists that were too long.
  var cuts: CutLists = []
  /// The count of elements that fill its members.
  var elementCount: UInt16 = 0
}

/// A value with its source's rank: the lower rank wins, then the first value.
struct Ranked<Value> {
  private(set) var value: Value?
  private(set) var rank = UInt8.max

  /// Changes the value unless it is nil.
  mutating func update(_ change: (inout Value) -> Void) {
    guard var changed = value else { return }
    change(&changed)
    value = changed
  }

  /// Returns whether a source with this rank is better.
  func wants(_ rank: UInt8) -> Bool { rank < self.rank }

  /// Sets the value if its source is better. If `isLast`, the last among equal sources wins.
  mutating func set(_ value: Value?, rank: UInt8, isLast: Bool = false) {
    guard let value, wants(rank) || (isLast && rank == self.rank) else { return }
    self.value = value
    self.rank = rank
  }
}

/// The lists in an item or the feed that were longer than ``ParserLimits/listCount``.
struct CutLists: OptionSet {
  let rawValue: UInt32

  static let authors = CutLists(rawValue: 1)
  static let tags = CutLists(rawValue: 1 << 1)
  static let attachments = CutLists(rawValue: 1 << 2)
  /// An item's module elements.
  static let extensions = CutLists(rawValue: 1 << 3)
  static let categories = CutLists(rawValue: 1 << 4)
  static let hubs = CutLists(rawValue: 1 << 5)
  static let links = CutLists(rawValue: 1 << 6)

  /// The count of these lists.
  var count: Int { rawValue.nonzeroBitCount }
}
