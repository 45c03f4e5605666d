import Testing

@testable import FeedParsing

@Suite struct ElementTableTests {
  @Test func `no element has two rules at one place`() {
    var seen: Set<[UInt8]> = []
    for row in ElementTable.rows {
      for vocabulary in row.vocabularies {
        for name in row.names {
          let isNew = seen.insert([row.place.rawValue, vocabulary.rawValue, name.rawValue]).inserted
          #expect(isNew, "\(row.place) \(vocabulary) \(name)")
        }
      }
    }
  }

  @Test func `the reference page states elements with their fields and ranks`() {
    let page = ElementTable.markdown
    #expect(page.contains("\n| feed | `Atom title` | feedTitle | 1 |\n"))
    #expect(page.contains("\n| item | `pubDate`, `published` | published | 0 |\n"))
    #expect(page.contains("\n| item | `podcast:transcript` | transcript |  |\n"))
  }
}
