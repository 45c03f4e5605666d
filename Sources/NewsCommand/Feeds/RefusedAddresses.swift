import TextOutput
import WebAddress

/// The addresses of a list that cannot be fetched, for people.
struct RefusedAddresses {
  /// How many there are.
  private(set) var count = 0
  /// The first of them, each with its cause; printable.
  private var named: [String] = []

  /// More are only counted.
  private static let mostNamed = 5
  /// Longer addresses are cut, in characters.
  private static let longest = 200

  /// Adds one.
  ///
  mutating func add(_ text: String, _ problem: WebAddress.Problem) {
    count += 1
    guard named.count < Self.mostNamed else { return }
    let address = WebAddress(text).description
    let shown = address.count > Self.longest ? address.prefix(Self.longest) + "…" : address[...]
    named.append("\(shown): \(printable("\(problem)"))")
  }

  /// A line for each of the first, and one for the number of others; empty without any.
  var text: String {
    let rest = count > named.count ? ["and \(grouped(count - named.count)) more"] : []
    return (named + rest).map { "newsimport: \($0)\n" }.joined()
  }
}
