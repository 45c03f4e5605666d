/// A value with the rank of its source: the lower rank wins, then the first value.
struct Ranked<Value> {
  private(set) var value: Value?
  private(set) var rank = UInt8.max

  /// Returns whether a source of this rank is better.
  func wants(_ rank: UInt8) -> Bool { rank < self.rank }

  /// Sets the value if its source is better. If `isLast`, the last of equal sources wins.
  mutating func set(_ value: Value?, rank: UInt8, isLast: Bool = false) {
    guard let value, wants(rank) || (isLast && rank == self.rank) else { return }
    self.value = value
    self.rank = rank
  }
}

/// The fields of the current item; slices count from its start.
struct ItemInProgress {
  struct Body {
    var text: ByteSlice
    var isPlain: Bool
  }

  /// Fields that a source may have, too.
  struct Fields: OptionSet {
    let rawValue: UInt8

    static let title = Fields(rawValue: 1)
    static let id = Fields(rawValue: 2)
    static let link = Fields(rawValue: 4)
    static let updated = Fields(rawValue: 8)
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
  var modified = Ranked<Int64>()
  var authorRank = UInt8.max
  var idIsPermaLink: Bool?
  /// `itunes:duration`, in seconds.
  var duration: Int64?
  /// The fields after a `source` without an end tag.
  var fieldsBehindSource: Fields = []
  /// True if its content is a file at another address.
  var hasContentFile = false
  /// Its lists that were too long.
  var cuts: CutLists = []
  /// The number of elements that fill its members.
  var elementCount: UInt16 = 0
}

/// The current person; slices count from the item's start.
struct PersonInProgress {
  /// The relation of the person to the item or the feed.
  enum Purpose: UInt8 {
    case author, contributor, webMaster, owner
  }

  var purpose = Purpose.author
  var name: ByteSlice?
  var email: ByteSlice?
  var url: ByteSlice?
  var rank: UInt8 = 0
  /// The offset at which its texts begin.
  var start = 0
}

/// The ranks of the sources of the feed's details so far.
struct FeedRanks {
  var title = UInt8.max
  var homePage = UInt8.max
  var description = UInt8.max
  var icon = UInt8.max
  var language = UInt8.max
  var authors = UInt8.max
  var modified = UInt8.max
  /// The feed's lists that were too long.
  var cuts: CutLists = []
}
