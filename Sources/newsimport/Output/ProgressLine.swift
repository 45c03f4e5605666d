import FeedImport
import Foundation
import HTMLText

/// How far a fetch is, in one line of a terminal.
struct ProgressLine: Equatable {
  /// Feeds that are asked.
  var total: Int
  /// Feeds whose answers are known.
  var answered = 0
  var inserted = 0
  var edited = 0
  var failed = 0
  /// In seconds, since the run began.
  var elapsed: TimeInterval = 0
  /// In seconds, since the number of answers grew.
  var silence: TimeInterval = 0
  /// The feed that is under way for the longest time, and for how many seconds; nil for none.
  var slowest: (place: String, seconds: TimeInterval)?

  static func == (left: ProgressLine, right: ProgressLine) -> Bool {
    left.text(columns: 1000) == right.text(columns: 1000)
  }

  /// Feeds a second; nil as long as it would be a guess.
  private var rate: Double? {
    elapsed >= Self.leastTime && answered > 0 ? Double(answered) / elapsed : nil
  }

  /// How long it will go on; nil where that is not known: the rate of the others tells nothing of the last few feeds,
  /// which are the slow ones, nor of a run in which no answer comes any more.
  private var rest: TimeInterval? {
    let open = total - answered
    guard let rate, open > max(1, total / Self.tailPart) else { return nil }
    guard silence <= max(Self.leastSilence, Self.longSilence / rate) else { return nil }
    return (Double(open) / rate).rounded(.up)
  }

  /// The line, in at most so many columns; what matters least is left out first.
  func text(columns: Int) -> String {
    let bar = columns >= 60 ? Self.bar : Self.shortBar
    let filled = total > 0 ? min(bar, bar * answered / total) : bar
    var line =
      "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: bar - filled))] "
      + "\(grouped(answered))/\(grouped(total))"
    for part in parts where DisplayWidth.columns(of: line) + DisplayWidth.columns(of: part) <= columns {
      line += part
    }
    return DisplayWidth.cut(line, to: columns)
  }

  private var parts: [String] {
    var parts: [String] = []
    if let rate { parts.append("  \(Self.short(rate)) feeds/s") }
    for (number, what) in [(inserted, "new"), (edited, "edited"), (failed, "failed")] where number > 0 {
      parts.append("  \(grouped(number)) \(what)")
    }
    if let rest { parts.append("  ETA \(Schedule.words(rest))") }
    if let slowest, slowest.seconds >= Self.leastTime {
      parts.append("   slowest: \(printable(slowest.place)) \(Self.short(slowest.seconds)) s")
    }
    return parts
  }

  /// Below ten with one decimal place.
  private static func short(_ number: Double) -> String {
    number < 9.95 ? "\((number * 10).rounded() / 10)" : grouped(Int(number.rounded()))
  }

  private static let bar = 24
  private static let shortBar = 10
  private static let leastTime: TimeInterval = 1
  /// The last feeds of a run are one of so many.
  private static let tailPart = 20
  /// In seconds; shorter pauses are nothing unusual.
  private static let leastSilence: TimeInterval = 2
  /// How many times the usual gap between two answers is none any more.
  private static let longSilence: TimeInterval = 5
}
