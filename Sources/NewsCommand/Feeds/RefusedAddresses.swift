import TextOutput
import WebAddress

/// The addresses of a list that cannot be fetched, as text.
struct RefusedAddresses {
  /// The number of addresses.
  private(set) var count = 0
  /// The first addresses, each with its cause; printable.
  private var named: [String] = []

  /// The number of addresses that are listed; the others are only counted.
  private static let mostNamed = 5
  /// The number of characters after which an address is cut.
  private static let longest = 200

  /// Adds an address.
  mutating func add(_ text: String, _ problem: WebAddress.Problem) {
    count += 1
    guard named.count < Self.mostNamed else { return }
    let address = WebAddress(text).description
    let shown = address.count > Self.longest ? address.prefix(Self.longest) + "…" : address[...]
    named.append("\(shown): \(printable("\(problem)"))")
  }

  /// A line for each of the first addresses, and one for the number of the others; empty without any.
  var text: String {
    let rest = count > named.count ? ["and \(grouped(count - named.count)) more"] : []
    return (named + rest).map { "newsimport: \($0)\n" }.joined()
  }
}
