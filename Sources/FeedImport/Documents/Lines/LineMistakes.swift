import TextOutput

/// The lines that could not be imported, of which the first are named.
package struct LineMistakes: Sendable {
  private static let mostNamed = 20

  private var named: [String] = []
  private var count = 0
  /// The number of lines among them.
  private(set) var lines = 0

  package var isEmpty: Bool { count == 0 }

  package init() {}

  package mutating func add(_ cause: String) {
    count += 1
    if named.count < Self.mostNamed { named.append(cause) }
  }

  package mutating func add(_ cause: String, inLine number: Int) {
    lines += 1
    add("line \(grouped(number)): \(cause)")
  }

  /// The causes, and the number of those that are not named.
  package var causes: [String] {
    let rest = count - named.count
    return rest > 0 ? named + ["\(counted(rest, "more line")) could not be imported"] : named
  }
}
