/// The lines that could not be imported, of which the first are named.
struct LineMistakes {
  private static let mostNamed = 20

  private(set) var named: [String] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func add(_ cause: String) {
    count += 1
    if named.count < Self.mostNamed { named.append(cause) }
  }

  /// The causes, and the number of those that are not named.
  var causes: [String] {
    count > named.count ? named + ["\(count - named.count) more lines were not imported"] : named
  }
}
