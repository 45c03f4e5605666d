import TextOutput
import WebAddress

/// The addresses of a list that cannot be fetched, as text.
struct RefusedAddresses {
  /// The number of addresses.
  private(set) var count = 0
  /// The number of addresses of pages from which another program makes feeds.
  private(set) var pages = 0
  /// The first addresses, each with its cause; printable.
  private var named: [String] = []

  /// The number of addresses that are listed; the others are only counted.
  private static let mostNamed = 5
  /// The number of characters after which an address is cut.
  private static let longest = 200

  /// The file with the addresses.
  private let file: String

  /// - Parameter file: The file with the addresses, as the user named it.
  init(of file: String) {
    self.file = file
  }

  /// Adds an address.
  ///
  /// - Parameter line: The number of its line; nil if it is unknown.
  mutating func add(_ text: String, line: Int?, _ problem: WebAddress.Problem) {
    add(text, line: line, cause: "\(problem)")
  }

  /// Adds an address of a page.
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

  /// Why the addresses were refused, in a few words.
  var reason: String {
    let isAddress = "not an http or https address"
    return pages == 0 ? isAddress : pages == count ? "not a feed" : "\(isAddress), or not a feed"
  }

  /// A line for each of the first addresses, and one for the number of the others; empty without any.
  var text: String {
    let rest = count > named.count ? ["\(printable(file)): and \(grouped(count - named.count)) more"] : []
    return (named + rest).map { "newsimport: \($0)\n" }.joined()
  }
}
