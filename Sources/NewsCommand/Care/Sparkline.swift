/// Draws numbers as a row of bars, one character each.
enum Sparkline {
  /// Returns the bars; empty if all numbers are 0.
  ///
  /// The greatest number has the highest bar, and only 0 has the lowest.
  static func text(_ numbers: [Int]) -> String {
    guard let greatest = numbers.max(), greatest > 0 else { return "" }
    return String(
      numbers.map { number in
        let steps = bars.count - 1
        let height =
          number <= 0 ? 0 : max(1, Int((Double(number) / Double(greatest) * Double(steps)).rounded()))
        return bars[min(height, steps)]
      })
  }

  private static let bars = Array("▁▂▃▄▅▆▇█")
}
