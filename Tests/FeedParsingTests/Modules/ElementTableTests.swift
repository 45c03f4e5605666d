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

  @Test(arguments: ElementTable.Place.allCases)
  func `elements of unknown vocabularies have no rule`(place: ElementTable.Place) {
    for raw in UInt8.min...UInt8.max {
      guard let name = LocalName(rawValue: raw) else { continue }
      let rule = ElementTable.rules[ElementTable.index(place, ElementName(.other, name))]
      if case .skip = rule {} else { Issue.record("\(place) \(name)") }
    }
  }

  @Test func `the reference page states elements with their fields and ranks`() {
    let page = ElementTable.markdown
    #expect(page.contains("\n| feed | `Atom title` | feed title | 1 |\n"))
    #expect(page.contains("\n| item | `pubDate`, `published` | published | 0 |\n"))
    #expect(page.contains("\n| item | `podcast:transcript` | transcript |  |\n"))
  }

  @Test func `each name has its spelling, which is found in any case`() {
    let irregular = ["newFeedURL", "hitParade", "inReplyTo", "place", "isDefault", "algorithm"]
    for name in LocalName.allCases {
      #expect(LocalName.named(Array(name.spelling.uppercased().utf8).span) == name)
      if !irregular.contains("\(name)") { #expect(name.spelling.lowercased() == "\(name)".lowercased()) }
    }
  }
}
