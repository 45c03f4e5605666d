import ArgumentParser
import FeedImport

/// Measures how well the keys of stories tell copies of one page from other pages.
///
/// The corpus has pages in the forms of common publishing systems, each page beside its likeliest neighbours, and copies of
/// them as feeds and mobile sites write them. Of each copy it is known which page it is.
struct StoriesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stories", abstract: "Counts false and missed joins of copies of articles.")

  @Option(help: "The number of pages.") var pages = 200_000

  func run() throws {
    var pageOfKey: [Int64: Int] = [:]
    var falseJoins: [String: (count: Int, example: String)] = [:]
    var addresses: [String] = []
    for number in 0..<pages {
      let (form, page) = Self.page(number)
      addresses.append(page)
      guard let key = StoryKey.of(page) else { throw Failure("\(page) has no key") }
      if let other = pageOfKey.updateValue(number, forKey: key) {
        falseJoins[form, default: (0, "\(page) and \(addresses[other])")].count += 1
      }
    }
    print("\(pages) pages, of which the keys join")
    for (form, found) in falseJoins.sorted(by: { $0.key < $1.key }) {
      print("  \(found.count) \(form), such as \(found.example)")
    }
    let total = falseJoins.values.reduce(0) { $0 + $1.count }
    print("  \(total) in all: \(Double(total) * 10_000 / Double(max(1, pages))) of 10,000")
    print("\ncopies that have the key of their page, of 1,000")
    for (name, copy) in Self.copies {
      // A distance that has no factor in common with the number of forms.
      let numbers = Array(stride(from: 0, to: pages, by: max(1, pages / 10_000) + 1))
      let found = numbers.count { StoryKey.of(copy(addresses[$0])) == StoryKey.of(addresses[$0]) }
      print("  \(found * 1000 / max(1, numbers.count))  \(name)")
    }
  }

  // MARK: Pages

  /// Returns the address of a page and the name of its form. All addresses are those of different pages.
  private static func page(_ number: Int) -> (form: String, address: String) {
    let id = number / forms.count
    let (name, form) = forms[number % forms.count]
    return (name, form(id, "site\(id % 500).example"))
  }

  private typealias Form = @Sendable (_ id: Int, _ host: String) -> String

  /// The forms, with those beside each other that a rule for copies might confuse.
  private static let forms: [(name: String, form: Form)] = [
    ("date and words", { "https://www.\($1)/2026/03/14/ferry-to-harbour-\($0)/" }),
    ("another day", { "https://www.\($1)/2026/03/15/ferry-to-harbour-\($0)/" }),
    ("number", { "https://\($1)/news/\($0)" }), ("another section", { "https://\($1)/sport/\($0)" }),
    ("parameter", { "https://\($1)/?p=\($0)" }), ("other parameter", { "https://\($1)/?page_id=\($0)" }),
    ("two parameters", { "https://\($1)/article.php?id=\($0)&cat=5" }),
    ("page 2", { "https://\($1)/article.php?id=\($0)&cat=5&page=2" }),
    ("file", { "https://\($1)/stories/ferry-\($0).html" }),
    ("script", { "https://\($1)/stories/ferry-\($0).php" }),
    ("language of the host", { "https://de.\($1)/news/\($0)" }),
    ("other port", { "https://\($1):8443/news/\($0)" }),
    ("amp in a word", { "https://\($1)/ramp/\($0)" }), ("capital letters", { "https://\($1)/News/\($0)" }),
    ("fragment of an application", { "https://\($1)/app#!/news/\($0)" }),
    ("referrer as a number", { "https://\($1)/item?ref=\($0)" }),
    ("short", { "https://\($1)/x\(String($0, radix: 36))" }),
    ("deep", { "https://\($1)/a/b/c/d/\($0)/comments" }),
    // A site about amplifiers: these two are really different pages with the address of a copy.
    (
      "topic amp", { $0 % 500 == 7 ? "https://\($1)/amp/valve-\($0)" : "https://\($1)/amplifier/valve-\($0)" }
    ),
    ("topic", { "https://\($1)/valve-\($0)" }),
  ]

  // MARK: Copies

  /// How others write the address of a page.
  private static let copies: [(name: String, copy: @Sendable (String) -> String)] = [
    ("utm parameters", { added("utm_source=rss&utm_medium=feed&utm_campaign=x", to: $0) }),
    ("parameters of networks", { added("fbclid=IwAR0&gclid=abc", to: $0) }),
    ("ref=rss", { added("ref=rss", to: $0) }), ("fragment", { $0.contains("#") ? $0 : $0 + "#comments" }),
    ("http", { "http" + $0.dropFirst(5) }),
    ("www. added or removed", { host($0) { $0.hasPrefix("www.") ? String($0.dropFirst(4)) : "www." + $0 } }),
    ("m. of the host", { host($0) { "m." + $0 } }), ("slash at the end", { ended($0, "/") }),
    ("amp at the end", { ended($0, $0.hasSuffix("/") ? "amp/" : "/amp") }),
    ("amp=1", { added("amp=1", to: $0) }), ("HOST in capital letters", { host($0) { $0.uppercased() } }),
    (
      "www., http and utm parameters",
      { added("utm_source=a", to: "http" + host($0) { "www." + $0 }.dropFirst(5)) }
    ),
    ("mobile host of another name", { host($0) { "touch." + $0 } }),
    ("parameters in another order", { swapped($0) }),
    ("unknown parameter", { added("fromfeed=7", to: $0) }),
    ("link of a redirecting service", { "https://feeds.example/~r/" + $0.dropFirst(8) }),
  ]

  private static func swapped(_ address: String) -> String {
    guard let question = address.firstIndex(of: "?") else { return address }
    let parameters = address[question...].dropFirst().split(separator: "&").reversed()
    return address[...question] + parameters.joined(separator: "&")
  }

  private static func added(_ parameters: String, to address: String) -> String {
    let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let sign = parts[0].contains("?") ? "&" : "?"
    return parts[0] + sign + parameters + (parts.count > 1 ? "#" + parts[1] : "")
  }

  private static func ended(_ address: String, _ ending: String) -> String {
    address.contains("?") || address.contains("#") ? address : address + ending
  }

  private static func host(_ address: String, _ change: (String) -> String) -> String {
    let rest = address.dropFirst("https://".count)
    let host = rest.prefix { $0 != "/" }
    return "https://" + change(String(host)) + rest.dropFirst(host.count)
  }
}
