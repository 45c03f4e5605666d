/// How many instructions stages take: the same on each run, where time is not.
public struct InstructionCounts: Codable, Sendable, Equatable {
  /// The command that counted them.
  public var command: String
  /// What else the counts depend on, by name: they can be compared only where all are the same.
  public var versions: [String: String]
  /// Instructions by stage.
  public var counts: [String: Int]

  public init(command: String, versions: [String: String], counts: [String: Int]) {
    self.command = command
    self.versions = versions
    self.counts = counts
  }

  /// What a comparison came to.
  public enum Verdict: Sendable, Equatable {
    /// No stage takes more than it may; a line for each.
    case kept([String])
    /// Some stage takes more; a line for each stage.
    case exceeded([String])
    /// Nothing can be said; what differs, in words.
    case incomparable(String)
  }

  /// Compares these counts, which are kept, with new ones.
  ///
  /// - Parameter tolerance: By what part of itself a count may grow: 0.02 for 2 %.
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
      // No minus where nothing is left to write behind it.
      let tenths = (growth * 1000).rounded() / 10 + 0
      let note = growth > tolerance ? "  too many" : growth < -tolerance ? "  fewer: keep the new count" : ""
      if growth > tolerance { isExceeded = true }
      lines.append("\(stage): \(now) instructions, \(tenths >= 0 ? "+" : "")\(tenths) %\(note)")
    }
    return isExceeded ? .exceeded(lines) : .kept(lines)
  }
}
