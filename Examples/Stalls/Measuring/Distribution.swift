/// Percentiles and the maximum of many durations, in milliseconds.
struct Distribution: Codable, Sendable {
  var p50: Double
  var p99: Double
  var p999: Double
  var max: Double

  /// Creates the distribution of durations in seconds; all values are zero for an empty array.
  init(_ seconds: [Double]) {
    let sorted = seconds.sorted()
    func at(_ share: Double) -> Double {
      guard let last = sorted.last else { return 0 }
      // The smallest value that is not exceeded by the given share of all values (the nearest-rank percentile).
      let rank = Int((share * Double(sorted.count)).rounded(.up))
      return (rank > 0 ? sorted[min(rank, sorted.count) - 1] : last) * 1000
    }
    (p50, p99, p999, max) = (at(0.5), at(0.99), at(0.999), at(1))
  }

  /// Creates the median of each percentile over several runs.
  init(mediansOf runs: [Distribution]) {
    p50 = runs.map(\.p50).median
    p99 = runs.map(\.p99).median
    p999 = runs.map(\.p999).median
    max = runs.map(\.max).median
  }
}

extension [Double] {
  /// The middle value, or the mean of the two middle values; 0 if the array is empty.
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
