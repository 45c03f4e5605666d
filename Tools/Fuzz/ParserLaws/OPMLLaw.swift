import FeedParsing

/// The law of feed lists: a list that is written reads the same again, and every entry has an address.
enum OPMLLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    let first = Result { () throws(OPML.Failure) in try OPML.read(input) }
    let again = Result { () throws(OPML.Failure) in try OPML.read(input) }
    try expect(first == again, "a list reads the same again")
    for entry in (try? first.get())?.entries ?? [] {
      try expect(!entry.url.isEmpty, "an entry has an address")
    }
    return true
  }
}
