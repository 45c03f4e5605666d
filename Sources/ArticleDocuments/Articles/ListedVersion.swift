package import Foundation
package import ManagedContext
import NewsModel
import TextOutput

/// An article version in a command's output.
package struct ListedVersion {
  package let number: Int
  package let current: Int
  /// The time from which the version is known.
  package let seen: Date
  /// The time at which the version was replaced; nil for the current one.
  package let replaced: Date?
  /// Attribute values, by their index.
  let values: [Int: AttributeValue]

  /// - Parameter values: The values in the order of ``Article/versioned``.
  package init(_ number: Int, of history: ArticleHistory, _ values: [AttributeValue]) {
    (self.number, current) = (number, history.current)
    (seen, replaced) = (history.seen(number), history.replaced(number))
    var byIndex: [Int: AttributeValue] = [:]
    for (name, value) in zip(Article.versioned, values) { byIndex[Article.index(ofAttribute: name)] = value }
    // The change that made the version.
    let change = history.former.last { $0.number < number }?.change
    byIndex[Article.schema.storedChange.index] =
      change.map { .integer(Int64(ChangeKinds(of: $0).rawValue)) } ?? .null
    byIndex[Article.schema.edits.index] = .integer(Int64(history.edits(before: number)))
    self.values = byIndex
  }

  /// The version as text, such as "version 1 of 3, 2026-11-20 09:12 to 2026-11-21 08:55".
  var text: String {
    let end = replaced.map { "to \(localMinute($0))" } ?? "until now"
    return "version \(number) of \(current), \(localMinute(seen)) \(end)"
  }

  /// The JSON fields that follow the article's fields.
  package var json: JSONLine { ["version": number, "current": current, "seen": seen, "replaced": replaced] }
}
