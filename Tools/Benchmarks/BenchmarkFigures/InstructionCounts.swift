/// The numbers of instructions of the stages. Unlike times, they are the same in each run.
public struct InstructionCounts: Codable, Sendable, Equatable {
  /// The command that counted them.
  public var command: String
  /// The other versions that the counts depend on, by name. Counts are comparable only if all are the same.
  public var versions: [String: String]
  /// Instructions by stage.
  public var counts: [String: Int]

  public init(command: String, versions: [String: String], counts: [String: Int]) {
    self.command = command
    self.versions = versions
    self.counts = counts
  }

  /// The result of a comparison.
  public enum Verdict: Sendable, Equatable {
    /// No stage exceeds the tolerance; a line for each.
    case kept([String])
    /// Some stages exceed the tolerance; a line for each stage.
    case exceeded([String])
    /// The counts cannot be compared; the text names the difference.
    case incomparable(String)
  }

  /// Compares these recorded counts with new ones.
  ///
  /// - Parameter tolerance: The allowed growth of a count, as a fraction: 0.02 for 2 %.
  public func verdict(on new: InstructionCounts, tolerance: Double) -> Verdict {
    let names = Set(versions.keys).union(new.versions.keys).sorted()
    let differing = names.filter { versions[$0] != new.versions[$0] }.map {
      "\($0) \(new.versions[$0] ?? "none") instead of \(versions[$0] ?? "none")"
    }
    guard differing.isEmpty else { return .incomparable(differing.joined(separator: ", ")) }
    guard Set(counts.keys) == Set(new.counts.keys) else { return .incomparable("other stages are counted") }
    var lines: [String] = []
    var isExceeded = false
    for (stage, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let now = new.counts[stage] else { continue }
      let growth = Double(now - count) / Double(max(1, count))
      // Adding 0 removes the minus sign of a negative zero.
      let tenths = (growth * 1000).rounded() / 10 + 0
      let note = growth > tolerance ? "  too many" : growth < -tolerance ? "  fewer: update the count" : ""
      if growth > tolerance { isExceeded = true }
      lines.append("\(stage): \(now) instructions, \(tenths >= 0 ? "+" : "")\(tenths) %\(note)")
    }
    return isExceeded ? .exceeded(lines) : .kept(lines)
  }
}
