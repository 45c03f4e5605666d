import Foundation
import ManagedContext

/// What the history keeps of articles.
extension Article {
  /// The attributes that make a version when they change.
  static let versioned: [String] = [
    Key.title.name, Key.summary.name, Key.contentHTML.name, Key.url.name, Key.externalURL.name,
    Key.commentsURL.name, Key.authors.name, Key.tags.name, Key.language.name, Key.image.name,
    Key.attachments.name, Key.members.name, Key.published.name, Key.modified.name,
  ]

  /// Those of ``versioned`` that are long texts.
  static let longTexts = [Key.summary.name, Key.contentHTML.name]

  static let history: HistoryOptions = {
    var options = HistoryOptions()
    options.isFollowed = true
    options.oldValues = versioned
    options.longTexts = longTexts
    options.deletedValues = [Key.feed.name, Key.guid.name]
    options.note = Key.lastChange.name
    options.isMerged = VersionPolicy.isMerged
    return options
  }()
}

/// Decides which changes of an article have no version of their own.
enum VersionPolicy {
  /// The number of changes in a row after which a field counts as volatile: a server writes it anew for each fetch.
  static let volatileAfter = 5
  /// The time in which volatile fields make at most one version, in seconds.
  static let volatileInterval: TimeInterval = 86_400

  /// Returns whether a change continues the one before it.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - earlier: The changes before it, newest first.
  @Sendable
  static func isMerged(_ change: ObjectVersion.Change, _ earlier: [ObjectVersion.Change]) -> Bool {
    guard let last = earlier.first else { return false }
    if isMinor(change), isMinor(last) { return true }
    return change.attributes.isSubset(of: volatile(earlier))
      && change.date < last.date.addingTimeInterval(volatileInterval)
  }

  /// Returns the attributes that each of the last changes has.
  ///
  /// - Parameter changes: Changes, newest first.
  static func volatile(_ changes: [ObjectVersion.Change]) -> AttributeSet {
    guard changes.count >= volatileAfter else { return [] }
    return changes.prefix(volatileAfter).reduce(.init(rawValue: .max)) { $0.intersection($1.attributes) }
  }

  /// True for a change of markup and dates alone, of which the first and the last values are kept.
  private static func isMinor(_ change: ObjectVersion.Change) -> Bool {
    guard let note = change.note else { return false }
    return !ChangeKinds(rawValue: note).isEdit
  }
}
