import Foundation
import HTMLText
import TextOutput

/// A fetch's progress, in one terminal line.
struct ProgressLine: Equatable {
  /// The number of feeds to poll.
  var total: Int
  /// The number of feeds with a result.
  var answered = 0
  var inserted = 0
  var edited = 0
  var failed = 0
  /// True while the run waits for another run that polls feeds on the same servers.
  var waitsForOthers = false
  /// Seconds since the run began.
  var elapsed: TimeInterval = 0
  /// Seconds since the latest result.
  var silence: TimeInterval = 0
  /// The feed with the longest running transfer, with its seconds; nil if no transfer is running.
  var slowest: (place: String, seconds: TimeInterval)?

  static func == (left: ProgressLine, right: ProgressLine) -> Bool {
    left.text(columns: 1000) == right.text(columns: 1000)
  }

  /// Feeds per second; nil while there is too little data for an estimate.
  private var rate: Double? {
    elapsed >= Self.leastTime && answered > 0 ? Double(answered) / elapsed : nil
  }

  /// The estimated remaining time; nil if it is unknown.
  ///
  /// The average rate does not apply to the last few feeds, which are slow, nor while no results arrive.
  private var rest: TimeInterval? {
    let open = total - answered
    guard let rate, open > max(1, total / Self.tailPart) else { return nil }
    guard silence <= max(Self.leastSilence, Self.longSilence / rate) else { return nil }
    return (Double(open) / rate).rounded(.up)
  }

  /// Returns the line in at most `columns` columns.
  ///
  /// If space is short, the bar shrinks first, then the slowest feed's name is cut. Then parts are omitted,
  /// the failure count last.
  func text(columns: Int) -> String {
    let counts = counts
    let room = { (line: String) in columns - DisplayWidth.columns(of: line) }
    let full = head(Self.bar) + counts.joined() + (slowest(in: 1000) ?? "")
    if columns >= 60, room(full) >= 0 { return full }
    let head = head(Self.shortBar)
    let slowest = slowest(in: room(head + counts.joined())) ?? ""
    var shown: Set<String> = []
    for part in counts.filter({ $0 == failures }) + counts {
      let line = head + counts.filter { shown.contains($0) || $0 == part }.joined() + slowest
      if room(line) >= 0 { shown.insert(part) }
    }
    return DisplayWidth.cut(head + counts.filter(shown.contains).joined() + slowest, to: columns)
  }

  private func head(_ bar: Int) -> String {
    let filled = total > 0 ? min(bar, bar * answered / total) : bar
    return "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: bar - filled))] "
      + "\(grouped(answered))/\(grouped(total))"
  }

  private var failures: String { "  \(grouped(failed)) failed" }

  private var counts: [String] {
    var parts: [String] = []
    if let rate { parts.append("  \(Self.short(rate)) feeds/s") }
    for (number, what) in [(inserted, "new"), (edited, "edited")] where number > 0 {
      parts.append("  \(grouped(number)) \(what)")
    }
    if failed > 0 { parts.append(failures) }
    if waitsForOthers { parts.append("  waiting for another run") }
    if let rest { parts.append("  ETA \(DurationText.precise(rest))") }
    return parts
  }

  /// Returns the slowest feed in at most `columns` columns; nil without one, or without space for its name.
  private func slowest(in columns: Int) -> String? {
    guard let slowest, slowest.seconds >= Self.leastTime else { return nil }
    let (before, after) = ("   slowest: ", " \(Self.short(slowest.seconds)) s")
    let room = columns - before.count - after.count
    let place = printable(slowest.place)
    guard room >= min(Self.leastPlace, DisplayWidth.columns(of: place)) else { return nil }
    return before + DisplayWidth.cut(place, to: room) + after
  }

  /// Formats numbers below ten with one decimal place.
  private static func short(_ number: Double) -> String {
    number < 9.95 ? "\((number * 10).rounded() / 10)" : grouped(Int(number.rounded()))
  }

  private static let bar = 24
  private static let shortBar = 10
  /// The fewest columns in which a host is recognizable.
  private static let leastPlace = 8
  private static let leastTime: TimeInterval = 1
  /// The divisor for a run's last feeds: one twentieth.
  private static let tailPart = 20
  /// In seconds; shorter gaps between results are normal.
  private static let leastSilence: TimeInterval = 2
  /// The estimate is omitted after a gap this many times longer than usual.
  private static let longSilence: TimeInterval = 5
}
