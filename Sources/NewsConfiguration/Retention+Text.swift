package import FeedImport
package import Foundation
import TextOutput

extension Retention {
  /// The allowed ages, in seconds.
  package static let ages: ClosedRange<TimeInterval> = 3600...10_000 * 86400
  /// The allowed counts.
  package static let counts = 1...1_000_000

  /// The articles that stay: "90 d", "the newest 500", "90 d and the newest 500".
  package var keptText: String {
    if isEmpty || age == .infinity { return "all for ever" }
    return [age.map { durationText($0) }, count.map { "the newest \(grouped($0))" }].compactMap { $0 }
      .joined(separator: " and ")
  }

  /// The articles that are deleted: "older than 90 d", "not among the newest 500", or both.
  package var goneText: String {
    if isEmpty || age == .infinity { return "nothing" }
    return [
      age.map { "older than \(durationText($0))" }, count.map { "not among the newest \(grouped($0))" },
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }
}
