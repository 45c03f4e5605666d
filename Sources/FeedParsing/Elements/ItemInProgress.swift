/// A value, and how good the source is that it came from: the smaller rank wins, then the first.
struct Ranked<Value> {
  private(set) var value: Value?
  private(set) var rank = UInt8.max

  /// Whether a source of this rank would be taken.
  func wants(_ rank: UInt8) -> Bool { rank < self.rank }

  /// Takes the value when its source is better; `isLast` says that the last of equal sources counts.
  mutating func set(_ value: Value?, rank: UInt8, isLast: Bool = false) {
    guard let value, wants(rank) || (isLast && rank == self.rank) else { return }
    self.value = value
    self.rank = rank
  }
}

/// The fields of the item that is being read; slices count from its start.
struct ItemInProgress {
  struct Body {
    var text: ByteSlice
    var isPlain: Bool
  }

  /// Fields that a source has, too.
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
  /// `itunes:duration` in seconds.
  var duration: Int64?
  /// The fields that came behind a `source` that nobody closed.
  var fieldsBehindSource: Fields = []
  /// Whether its content is a file elsewhere.
  var hasContentFile = false
  /// Its lists that were too long.
  var cuts: CutLists = []
  /// How many elements its extensions come from.
  var elementCount: UInt16 = 0
}

/// The person that is being read; slices count from the item's start, as everywhere.
struct PersonInProgress {
  /// What the person is to the item or the feed.
  enum Purpose: UInt8 {
    case author, contributor, webMaster, owner
  }

  var purpose = Purpose.author
  var name: ByteSlice?
  var email: ByteSlice?
  var url: ByteSlice?
  var rank: UInt8 = 0
  /// Where its texts begin.
  var start = 0
}

/// How good the sources of a feed's details are that were taken so far.
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
