import TextOutput
import WebAddress

/// The addresses in a list that cannot be fetched, as text.
struct RefusedAddresses {
  private(set) var count = 0
  /// The number of web pages that another program turns into feeds.
  private(set) var pages = 0
  /// The first addresses, each with its cause; printable.
  private var named: [String] = []

  /// The largest number of addresses that are listed; the others are only counted.
  private static let mostNamed = 5
  /// The longest address that is not cut, in characters.
  private static let longest = 200

  private let file: String

  /// - Parameter file: The file with the addresses, as the user named it.
  init(of file: String) {
    self.file = file
  }

  /// - Parameter line: The address's line number; nil if it is unknown.
  mutating func add(_ text: String, line: Int?, _ problem: WebAddress.Problem) {
    add(text, line: line, cause: "\(problem)")
  }

  mutating func add(page text: String) {
    pages += 1
    add(text, line: nil, cause: "not a feed, but a page that the other program makes a feed from")
  }

  private mutating func add(_ text: String, line: Int?, cause: String) {
    count += 1
    guard named.count < Self.mostNamed else { return }
    let address = WebAddress(text).description
    let shown = address.count > Self.longest ? address.prefix(Self.longest) + "…" : address[...]
    let place = line.map { "line \(grouped($0)): " } ?? ""
    named.append("\(printable(file)): \(place)\(shown): \(printable(cause))")
  }

  /// The reason for the refusals, in a few words.
  var reason: String {
    let isAddress = "not an http or https address"
    return pages == 0 ? isAddress : pages == count ? "not a feed" : "\(isAddress), or not a feed"
  }

  /// A line for each named address, and one that counts the rest; empty without addresses.
  var text: String {
    let rest = count > named.count ? ["\(printable(file)): and \(grouped(count - named.count)) more"] : []
    return (named + rest).map { "newsimport: \($0)\n" }.joined()
  }
}
