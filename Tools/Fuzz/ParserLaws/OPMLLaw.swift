import FeedParsing

/// The law of feed lists: a list reads the same again, also after it was written, and every entry has an address.
enum OPMLLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    let first = Result { () throws(OPML.Failure) in try OPML.read(input) }
    let again = Result { () throws(OPML.Failure) in try OPML.read(input) }
    try expect(first == again, "a list reads the same again")
    let entries = (try? first.get())?.entries ?? []
    for entry in entries { try expect(!entry.url.isEmpty, "an entry has an address") }
    let folders = entries.map { entry in
      (
        name: entry.folder ?? "",
        feeds: [OPML.Outline(url: entry.url, title: entry.title, homePage: entry.homePage)]
      )
    }
    let written = Array(OPML.document(of: folders, title: "list").joined().utf8)
    let read = Result { () throws(OPML.Failure) in try OPML.read(written) }
    let copies = (try? read.get())?.entries ?? []
    try expect(copies.count == entries.count, "a written list has the same feeds")
    for (entry, copy) in zip(entries, copies) {
      let isSame =
        copy.url == entry.url && copy.title == (entry.title ?? entry.url) && copy.homePage == entry.homePage
        && copy.folder ?? "" == entry.folder ?? ""
      try expect(isSame, "a written feed is read as the same:\n\(entry)\n\(copy)")
    }
    return true
  }
}
