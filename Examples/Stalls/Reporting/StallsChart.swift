import Foundation

/// A bar chart of the designs on a logarithmic scale, as an SVG picture for the documentation.
///
/// The picture is shown on light and on dark pages. Its colours therefore have a medium brightness, and its text colour
/// follows the reader's colour scheme.
struct StallsChart {
  private static let labelWidth = 150.0
  private static let plotWidth = 520.0
  private static let barHeight = 11.0
  private static let groupHeight = 58.0
  private static let top = 64.0

  private let summaries: [Summary]
  private let decades: ClosedRange<Int>

  /// - Parameter summaries: Results for the same number of records.
  init(_ summaries: [Summary]) {
    self.summaries = summaries
    let values = summaries.flatMap(Self.bars).map(\.value).filter { $0 > 0 }
    let low = Int(log10(values.min() ?? 0.1).rounded(.down))
    decades = low...max(low + 1, Int(log10(values.max() ?? 1).rounded(.up)))
  }

  /// The picture as an SVG document.
  var svg: String {
    let bottom = Self.top + Double(summaries.count) * Self.groupHeight
    let (width, height) = (Self.labelWidth + Self.plotWidth + 70, bottom + 34)
    let title = "Delays of the main queue during an import of \(summaries.first?.records ?? 0) articles"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(width)) \(text(height))" \
      width="\(text(width))" height="\(text(height))" role="img" aria-label="\(title)">
      <style>
        text { font: 12px sans-serif; fill: #333 }
        .title { font-size: 15px; font-weight: bold }
        .value { font-size: 10px }
        .grid { stroke: #999; stroke-opacity: 0.35 }
        \(Series.allCases.map { ".\($0.rawValue) { fill: \($0.colour) }" }.joined(separator: " "))
        @media (prefers-color-scheme: dark) { text { fill: #ddd } }
      </style>
      <text class="title" x="10" y="22">\(title)</text>
      \(legend)
      \(grid(to: bottom))
      \(summaries.enumerated().map { group($0.element, at: Self.top + Double($0.offset) * Self.groupHeight) }
        .joined(separator: "\n"))
      </svg>

      """
  }

  // MARK: Parts

  private enum Series: String, CaseIterable {
    case beat, beatMax, read, readMax

    var name: String {
      switch self {
      case .beat: "heartbeat p99.9"
      case .beatMax: "heartbeat max"
      case .read: "read p99"
      case .readMax: "read max"
      }
    }

    var colour: String {
      switch self {
      case .beat: "#3b82c4"
      case .beatMax: "#9cc3e6"
      case .read: "#d9822b"
      case .readMax: "#f0bf8a"
      }
    }
  }

  private static func bars(of summary: Summary) -> [(series: Series, value: Double)] {
    let beats = [(Series.beat, summary.heartbeat.p999), (.beatMax, summary.heartbeat.max)]
    // The read durations of the control are meaningless, because it does not read.
    let reads = [(Series.read, summary.read.p99), (.readMax, summary.read.max)]
    return summary.design == .control ? beats : beats + reads
  }

  private var legend: String {
    Series.allCases.enumerated().map { number, series in
      let x = 10 + Double(number) * 140
      return """
        <rect class="\(series.rawValue)" x="\(text(x))" y="34" width="11" height="11"/>\
        <text x="\(text(x + 16))" y="44">\(series.name)</text>
        """
    }.joined(separator: "\n")
  }

  private func grid(to bottom: Double) -> String {
    decades.map { decade in
      let x = place(of: pow(10, Double(decade)))
      return """
        <line class="grid" x1="\(text(x))" x2="\(text(x))" y1="\(text(Self.top - 6))" y2="\(text(bottom))"/>\
        <text text-anchor="middle" x="\(text(x))" y="\(text(bottom + 18))">\(label(of: decade))</text>
        """
    }.joined(separator: "\n")
  }

  private func group(_ summary: Summary, at top: Double) -> String {
    let bars = Self.bars(of: summary)
    let name = """
      <text text-anchor="end" x="\(text(Self.labelWidth - 10))" \
      y="\(text(top + Double(bars.count) * Self.barHeight / 2 + 4))">\(summary.design.rawValue)</text>
      """
    return
      ([name]
      + bars.enumerated().map { number, bar in
        let y = top + Double(number) * Self.barHeight
        let end = place(of: bar.value)
        return """
          <rect class="\(bar.series.rawValue)" x="\(text(Self.labelWidth))" y="\(text(y))" \
          width="\(text(end - Self.labelWidth))" height="\(text(Self.barHeight - 1))"/>\
          <text class="value" x="\(text(end + 4))" y="\(text(y + 9))">\(amount(bar.value))</text>
          """
      }).joined(separator: "\n")
  }

  // MARK: Numbers

  private func place(of milliseconds: Double) -> Double {
    let (low, high) = (Double(decades.lowerBound), Double(decades.upperBound))
    let share = (log10(max(milliseconds, pow(10, low))) - low) / (high - low)
    return Self.labelWidth + share * Self.plotWidth
  }

  private func label(of decade: Int) -> String {
    decade < 3
      ? Console.number(pow(10, Double(decade)), max(0, -decade)) + " ms"
      : Console.number(pow(10, Double(decade - 3)), 0) + " s"
  }

  private func amount(_ milliseconds: Double) -> String {
    milliseconds < 1000
      ? Console.number(milliseconds, milliseconds < 10 ? 2 : 0) + " ms"
      : Console.number(milliseconds / 1000, 1) + " s"
  }

  private func text(_ coordinate: Double) -> String { Console.number(coordinate, 1) }
}
