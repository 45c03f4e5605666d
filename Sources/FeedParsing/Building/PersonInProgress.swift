internal import Markup

/// The current person; slices count from the item's start.
struct PersonInProgress {
  /// The person's relation to the item or the feed.
  enum Purpose: UInt8 {
    case author, contributor
  }

  var purpose = Purpose.author
  var name: ByteSlice?
  var email: ByteSlice?
  var url: ByteSlice?
  var rank: UInt8 = 0
  /// The offset at which its texts begin.
  var start = 0

  /// Takes the text for one part.
  mutating func take(_ capture: Capture, _ texts: inout TextBuffer) {
    let start = capture.start
    switch capture.field {
    case .personName:
      PlainText.make(&texts.bytes, from: start, .maybe)
      name = texts.trimmedSlice(from: start) ?? name
    case .personEmail: email = texts.trimmedSlice(from: start) ?? email
    default: url = texts.addressSlice(from: start) ?? url
    }
  }

  /// Takes a person's parts from one text.
  mutating func split(_ range: Range<Int>, _ texts: inout TextBuffer) {
    let parts = PersonText(texts.bytes.span.extracting(range))
    func slice(_ part: Range<Int>?) -> ByteSlice? {
      part.map { texts.slice((range.lowerBound + $0.lowerBound)..<(range.lowerBound + $0.upperBound)) }
    }
    (name, email, url) = (slice(parts.name), slice(parts.email), slice(parts.url))
  }

  /// The person as a feed author.
  func author(_ texts: TextBuffer) -> FeedDetails.Author {
    ParsedAuthor(name: name, email: email, url: url).map {
      String(decoding: texts.bytes[texts.range($0)], as: UTF8.self)
    }
  }
}
