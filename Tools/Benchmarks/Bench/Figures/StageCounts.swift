/// What callgrind counts in a stage.
enum CountedEvent: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case instructions
  /// Instructions that were not in the first cache.
  case instructionMisses = "I1 misses"
  /// Data that was not in the first cache.
  case dataMisses = "D1 misses"

  /// The allowed growth, as a fraction: 0.02 for 2 %. Misses also depend on where the linker has put the code: those of
  /// `rows` differed by 32 % between two builds.
  var tolerance: Double { self == .instructions ? 0.02 : 0.5 }
}

/// The stages' instructions and cache misses. Unlike times, they are nearly the same in each run.
struct StageCounts: Codable, Sendable, Equatable {
  /// The command that counted them.
  var command: String
  /// The other versions that the counts depend on, by name. Counts are comparable only if all are the same.
  var versions: [String: String]
  /// The counts by stage.
  var counts: [String: [CountedEvent: Int]]

  /// The result of a comparison.
  enum Verdict: Sendable, Equatable {
    /// No count exceeds its tolerance; a line for each.
    case kept([String])
    /// Some counts exceed their tolerance; a line for each count.
    case exceeded([String])
    /// The counts cannot be compared; the text names the difference.
    case incomparable(String)
  }

  /// Compares these recorded counts with new ones.
  func verdict(on new: StageCounts) -> Verdict {
    let names = Set(versions.keys).union(new.versions.keys).sorted()
    let differing = names.filter { versions[$0] != new.versions[$0] }.map {
      "\($0) \(new.versions[$0] ?? "none") instead of \(versions[$0] ?? "none")"
    }
    guard differing.isEmpty else { return .incomparable(differing.joined(separator: ", ")) }
    guard Set(counts.keys) == Set(new.counts.keys) else { return .incomparable("other stages are counted") }
    var lines: [String] = []
    var isExceeded = false
    for (stage, events) in counts.sorted(by: { $0.key < $1.key }) {
      for event in CountedEvent.allCases {
        guard let count = events[event], let now = new.counts[stage]?[event] else { continue }
        let growth = Double(now - count) / Double(max(1, count))
        // Adding 0 removes the minus sign of a negative zero.
        let tenths = (growth * 1000).rounded() / 10 + 0
        let isFewer = growth < -event.tolerance
        let note = growth > event.tolerance ? "  too many" : isFewer ? "  fewer: update the count" : ""
        if growth > event.tolerance { isExceeded = true }
        lines.append("\(stage): \(now) \(event.rawValue), \(tenths >= 0 ? "+" : "")\(tenths) %\(note)")
      }
    }
    return isExceeded ? .exceeded(lines) : .kept(lines)
  }
}
