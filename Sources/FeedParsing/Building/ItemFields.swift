/// The fields of the current item; slices count from its start.
struct ItemFields {
  struct Body {
    var text: ByteSlice
    var isPlain: Bool
  }

  /// Fields that a source may have, too.
  struct SourceFields: OptionSet {
    let rawValue: UInt8

    static let title = SourceFields(rawValue: 1)
    static let id = SourceFields(rawValue: 2)
    static let link = SourceFields(rawValue: 4)
    static let updated = SourceFields(rawValue: 8)
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
  var fieldsBehindSource: SourceFields = []
  /// True if its content is a file at another address.
  var hasContentFile = false
  /// Its lists that were too long.
  var cuts: CutLists = []
  /// The number of elements that fill its members.
  var elementCount: UInt16 = 0
}
