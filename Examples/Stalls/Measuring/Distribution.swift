/// Some percentiles of many durations, in milliseconds.
struct Distribution: Codable, Sendable {
  var p50: Double
  var p99: Double
  var p999: Double
  var max: Double

  /// Of durations in seconds; all zero where there are none.
  init(_ seconds: [Double]) {
    let sorted = seconds.sorted()
    func at(_ share: Double) -> Double {
      guard let last = sorted.last else { return 0 }
      // The smallest value that so many of the others do not exceed.
      let rank = Int((share * Double(sorted.count)).rounded(.up))
      return (rank > 0 ? sorted[min(rank, sorted.count) - 1] : last) * 1000
    }
    (p50, p99, p999, max) = (at(0.5), at(0.99), at(0.999), at(1))
  }

  /// The median of each percentile over several runs.
  init(mediansOf runs: [Distribution]) {
    p50 = runs.map(\.p50).median
    p99 = runs.map(\.p99).median
    p999 = runs.map(\.p999).median
    max = runs.map(\.max).median
  }
}

extension [Double] {
  /// The middle value, the mean of the two in the middle, or 0 where there is none.
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
