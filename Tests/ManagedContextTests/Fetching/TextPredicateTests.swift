import Foundation
import ManagedContext
import TestSupport
import Testing

@Suite struct TextPredicateTests {
  /// Letters with several foldings, wildcards of the stores' own operators, and characters of several bytes.
  private static let pieces = [
    "a", "A", "e", "é", "É", "e\u{301}", "E\u{301}", "ß", "ẞ", "ss", "SS", "ς", "Σ", "İ", "ı", "K",
    "\u{212A}", "ﬁ",
    "fi", "日", "가", "ø", "*", "?", "\\", "%", "_", "[", "'", " ", "\n",
  ]
  private static let matches: [StorePredicate.Match] = [.prefix, .part, .suffix, .whole, .pattern]

  private static func text(_ count: ClosedRange<Int>, _ dice: inout SeededGenerator) -> String {
    let count = Int.random(in: count, using: &dice)
    return (0..<count).map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
  }

  /// Returns whether a text matches, by the plainest rules.
  private static func holds(
    _ match: StorePredicate.Match, _ text: String, _ wanted: String, _ options: TextOptions
  ) -> Bool {
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    func scalars(_ text: String) -> [Unicode.Scalar] {
      Array((options.isEmpty ? text : text.folding(options: folding, locale: nil)).unicodeScalars)
    }
    let (text, wanted) = (scalars(text), scalars(wanted))
    return switch match {
    case .prefix: text.starts(with: wanted)
    case .part: text.contains(wanted)
    case .suffix: text.suffix(wanted.count).elementsEqual(wanted)
    case .whole: text == wanted
    case .pattern: isPattern(wanted[...], text[...])
    }
  }

  private static func isPattern(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*": return (0...text.count).contains { isPattern(rest, text.dropFirst($0)) }
    case "?": return !text.isEmpty && isPattern(rest, text.dropFirst())
    case "\\" where !rest.isEmpty:
      return text.first == rest.first && isPattern(rest.dropFirst(), text.dropFirst())
    default: return text.first == first && isPattern(rest, text.dropFirst())
    }
  }

  private static func predicate(
    _ match: StorePredicate.Match, _ text: String, _ options: TextOptions
  ) -> FetchPredicate<Author> {
    switch match {
    case .prefix: .hasPrefix(\.city, text, options)
    case .part: .contains(\.city, text, options)
    case .suffix: .hasSuffix(\.city, text, options)
    case .whole: .equals(\.city, text, options)
    case .pattern: .like(\.city, text, options)
    }
  }

  @Test(arguments: StoreKind.allCases, seeds(16))
  func `a text condition gives the same answers in every store and for unsaved texts`(
    kind: StoreKind, seed: Int
  ) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let store = try LibraryStore(kind)
    let context = store.context()
    var cities: [String: String?] = [:]
    func insert(_ range: Range<Int>) {
      for number in range {
        let author = context.insert(Author.self)
        author.name = "\(number)"
        author.city = number % 10 == 0 ? nil : Self.text(0...5, &dice)
        cities[author.name] = author.city
      }
    }
    func check() throws {
      for _ in 0..<60 {
        guard let match = Self.matches.randomElement(using: &dice) else { continue }
        let options = TextOptions(rawValue: UInt8.random(in: 0...3, using: &dice))
        let wanted =
          Bool.random(using: &dice)
          ? Self.text(0...3, &dice)
          : (cities.values.compactMap { $0 }.sorted().randomElement(using: &dice) ?? "")
        let expected = cities.filter { $0.value.map { Self.holds(match, $0, wanted, options) } ?? false }.keys
        let isNegated = Bool.random(using: &dice)
        let predicate = Self.predicate(match, wanted, options)
        let request = FetchRequest(Author.self, where: isNegated ? !predicate : predicate)
        let found = Set(try context.fetchValues(request, \.name))
        #expect(
          found == (isNegated ? Set(cities.keys).subtracting(expected) : Set(expected)),
          "\(match) \(wanted.debugDescription) \(options.rawValue)")
        #expect(try context.count(request) == found.count)
      }
    }
    insert(0..<80)
    try context.save()
    try check()
    insert(80..<120)
    for author in try context.fetch(FetchRequest(Author.self, where: .hasSuffix(\.name, "1"))) {
      author.city = Self.text(0...5, &dice)
      cities[author.name] = author.city
    }
    try check()
  }

  @Test(arguments: [
    ("Zoë", "zoe", true), ("Straße", "STRASSE", true), ("ΣΊΣΥΦΟΣ", "σισυφος", true), ("Иван", "иван", true),
    ("が", "か", false), ("がく", "がく", true), ("Ångström", "angstrom", true), ("søt", "sot", false),
    ("GROẞ", "gross", true), ("ı", "I", false), ("Ǆ", "ǆ", true), ("ﬁ", "FI", true), ("й", "и\u{306}", true),
  ])
  func `names are equal without case and accents`(name: String, other: String, areEqual: Bool) {
    let match = TextMatch(.whole, other, [.caseInsensitive, .diacriticInsensitive])
    #expect(match.matches(name) == areEqual)
  }

  @Test(arguments: StoreKind.allCases)
  func `a condition on a related object's text, and its count, ignore case`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Émile", books: ["Nana", "NANÀ", "L'Œuvre"])
    try store.add("Ann", books: ["Nana"])
    let context = store.context()
    let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    let books = FetchRequest(Book.self, where: .to(\.author, where: .equals(\.name, "EMILE", options)))
    #expect(try context.count(books) == 3)
    let authors = FetchRequest(
      Author.self, where: .count(\.books, where: .equals(\.title, "nana", options)) == 2)
    #expect(try context.fetchValues(authors, \.name) == ["Émile"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch changes the rows whose text matches without case`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Zola", books: ["é1", "É2", "e3"])
    let context = store.context()
    try context.updateAll(
      Book.self, where: .hasPrefix(\.title, "É", [.caseInsensitive]), set: .set(\.pages, to: 7))
    try context.save()
    try context.deleteAll(Book.self, where: .like(\.title, "E?", [.caseInsensitive]))
    try context.save()
    let left = try context.fetchValues(FetchRequest(Book.self, sortedBy: [.oldestFirst]), \.title, \.pages)
    #expect(left.map(\.0) == ["é1", "É2"])
    #expect(left.map(\.1) == [7, 7])
  }

  @Test(arguments: StoreKind.allCases)
  func `texts are before and after a text with a NUL byte, which a server cannot keep`(kind: StoreKind) throws
  {
    let store = try LibraryStore(kind)
    for name in ["", "a", "a\u{1}", "ab", "b"] { try store.add(name) }
    let context = store.context()
    func count(_ predicate: FetchPredicate<Author>) throws -> Int {
      try context.count(FetchRequest(Author.self, where: predicate))
    }
    #expect(try count(\.name < "a\0b") == 2 && count(\.name <= "a\0b") == 2)
    #expect(try count(\.name > "a\0b") == 3 && count(\.name >= "a\0b") == 3)
    #expect(try count(!(\.name > "\0")) == 1 && count(\.name == "a\0b") == 0 && count(\.name != "a\0b") == 5)
  }

  @Test(arguments: [StoreKind.sqlite, .memory])
  func `a text with a NUL byte is compared to its end`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("a\0B")
    let context = store.context()
    for isMatch in [
      FetchPredicate<Author>.hasSuffix(\.name, "\0B"), .like(\.name, "a?B"),
      .equals(\.name, "A\0b", .caseInsensitive),
      .hasPrefix(\.name, "A\0", .caseInsensitive), !FetchPredicate<Author>.hasSuffix(\.name, "a"),
    ] {
      #expect(try context.count(FetchRequest(Author.self, where: isMatch)) == 1)
    }
  }
}
