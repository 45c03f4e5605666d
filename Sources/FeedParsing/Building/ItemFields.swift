/// The fields of the current item; slices count from its start.
struct ItemFields {
  struct Body {
    var text: ByteSlice
    var isPlain: Bool
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
  /// True if its content is a file at another address.
  var hasContentFile = false
  /// Its lists that were too long.
  var cuts: CutLists = []
  /// The number of elements that fill its members.
  var elementCount: UInt16 = 0
}
