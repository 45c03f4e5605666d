import FeedImport
import Foundation
import HTMLText
import TextOutput

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

  /// The line, in at most so many columns: a shorter bar first, then what matters least is left out. Of the slowest feed as
  /// much is told as there is room for.
  func text(columns: Int) -> String {
    let counts = counts
    let room = { (line: String) in columns - DisplayWidth.columns(of: line) }
    let full = head(Self.bar) + counts.joined() + (slowest(in: 1000) ?? "")
    if columns >= 60, room(full) >= 0 { return full }
    var line = head(Self.shortBar)
    let slowest = slowest(in: room(line + counts.joined())) ?? ""
    for part in counts where room(line + part + slowest) >= 0 { line += part }
    return DisplayWidth.cut(line + slowest, to: columns)
  }

  private func head(_ bar: Int) -> String {
    let filled = total > 0 ? min(bar, bar * answered / total) : bar
    return "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: bar - filled))] "
      + "\(grouped(answered))/\(grouped(total))"
  }

  private var counts: [String] {
    var parts: [String] = []
    if let rate { parts.append("  \(Self.short(rate)) feeds/s") }
    for (number, what) in [(inserted, "new"), (edited, "edited"), (failed, "failed")] where number > 0 {
      parts.append("  \(grouped(number)) \(what)")
    }
    if let rest { parts.append("  ETA \(DurationText.precise(rest))") }
    return parts
  }

  /// The feed that takes longest, in at most so many columns; nil where there is none, or no room to name it.
  private func slowest(in columns: Int) -> String? {
    guard let slowest, slowest.seconds >= Self.leastTime else { return nil }
    let (before, after) = ("   slowest: ", " \(Self.short(slowest.seconds)) s")
    let room = columns - before.count - after.count
    let place = printable(slowest.place)
    guard room >= min(Self.leastPlace, DisplayWidth.columns(of: place)) else { return nil }
    return before + DisplayWidth.cut(place, to: room) + after
  }

  /// Below ten with one decimal place.
  private static func short(_ number: Double) -> String {
    number < 9.95 ? "\((number * 10).rounded() / 10)" : grouped(Int(number.rounded()))
  }

  private static let bar = 24
  private static let shortBar = 10
  /// Columns in which a host can still be known.
  private static let leastPlace = 8
  private static let leastTime: TimeInterval = 1
  /// The last feeds of a run are one of so many.
  private static let tailPart = 20
  /// In seconds; shorter pauses are nothing unusual.
  private static let leastSilence: TimeInterval = 2
  /// How many times the usual gap between two answers is none any more.
  private static let longSilence: TimeInterval = 5
}
