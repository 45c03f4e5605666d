import TextOutput

/// The lines that could not be imported. Only the first are named.
package struct LineMistakes: Sendable {
  private static let mostNamed = 20

  /// The causes, by line number; causes without a line come last.
  private var named: [(line: Int, cause: String)] = []
  private var count = 0
  /// The number of lines among the mistakes.
  private(set) var lines = 0

  package var isEmpty: Bool { count == 0 }

  package init() {}

  package mutating func add(_ cause: String) { add(cause, at: .max) }

  /// Adds a cause without a line, unless it is named already.
  package mutating func addOnce(_ cause: String) {
    if !named.contains(where: { $0.cause == cause }) { add(cause) }
  }

  package mutating func add(_ cause: String, inLine number: Int) {
    lines += 1
    add("line \(grouped(number)): \(cause)", at: number)
  }

  /// Adds a cause, in any order.
  private mutating func add(_ cause: String, at line: Int) {
    count += 1
    let place = named.lastIndex { $0.line <= line }.map { $0 + 1 } ?? 0
    guard place < Self.mostNamed else { return }
    named.insert((line, cause), at: place)
    if named.count > Self.mostNamed { named.removeLast() }
  }

  /// The causes, with a count for the unnamed ones.
  package var causes: [String] {
    let rest = count - named.count
    let causes = named.map(\.cause)
    return rest > 0 ? causes + ["\(counted(rest, "more line")) could not be imported"] : causes
  }
}
