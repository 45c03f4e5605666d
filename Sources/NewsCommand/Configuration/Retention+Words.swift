import FeedImport
import Foundation
import TextOutput

extension Retention {
  /// What may be asked for, in seconds.
  static let ages: ClosedRange<TimeInterval> = 3600...10_000 * 86400
  /// What may be asked for.
  static let counts = 1...1_000_000

  /// What stays: "90 d", "the newest 500", "90 d and the newest 500".
  var keptWords: String {
    if isEmpty || age == .infinity { return "all for ever" }
    return [age.map { durationText($0) }, count.map { "the newest \(grouped($0))" }].compactMap { $0 }
      .joined(separator: " and ")
  }

  /// What goes: "older than 90 d", "not among the newest 500", or both.
  var goneWords: String {
    if isEmpty || age == .infinity { return "nothing" }
    return [
      age.map { "older than \(durationText($0))" }, count.map { "not among the newest \(grouped($0))" },
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }
}
