import Foundation
package import ManagedContext

/// The article values that the history keeps.
extension Article {
  /// The names of attributes that create a version when they change, in the order of a version's values.
  package static let versioned = versioned(schema)

  private static func versioned(_ schema: Schema) -> [String] {
    [
      schema.title.name, schema.summary.name, schema.contentHTML.name, schema.url.name,
      schema.externalURL.name,
      schema.commentsURL.name, schema.authors.name, schema.tags.name, schema.language.name, schema.image.name,
      schema.attachments.name, schema.members.name, schema.published.name, schema.modified.name,
    ]
  }

  /// The indexes of ``versioned``, in the same order.
  static let versionedIndexes = versioned.compactMap { name in
    entity.description.attributes.firstIndex { $0.name == name }
  }

  /// Returns the index for an attribute name in ``versioned``.
  package static func index(ofAttribute name: String) -> Int {
    entity.description.attributes.firstIndex { $0.name == name } ?? columns.count
  }

  /// The count of successive answers that must change a field before it is volatile.
  package static let volatileAfter = VersionPolicy.volatileAfter

  /// Returns the names of fields that each of the feed's last answers changed: the server always changes
  /// them.
  ///
  /// - Parameter versions: All former versions of an article, oldest first.
  package static func volatileFields(in versions: [ObjectVersion]) -> [String] {
    VersionPolicy.volatile(versions.reversed().map(\.change)).names
  }

  /// The fields that a configuration can name as volatile.
  package static let volatileNames: [String] = [
    schema.title.name, schema.summary.name, schema.contentHTML.name, schema.url.name, schema.externalURL.name,
    schema.commentsURL.name, schema.authors.name, schema.tags.name, schema.attachments.name,
    schema.image.name,
    schema.members.name, schema.published.name, schema.modified.name,
  ]

  /// Returns the attributes for names in the configuration.
  package static func attributes(named names: [String]) -> AttributeSet {
    let attributes = entity.description.attributes
    return AttributeSet(indexes: attributes.indices.filter { names.contains(attributes[$0].name) })
  }

  static func history(_ schema: Schema) -> HistoryOptions {
    var options = HistoryOptions()
    options.isFollowed = true
    options.oldValues = versioned(schema)
    options.deletedValues = [schema.feed.name, schema.guid.name]
    options.note = schema.storedChange.name
    options.isMerged = VersionPolicy.isMerged
    return options
  }
}

extension AttributeSet {
  /// The attribute names in the set, in the order of ``Article/versioned``.
  package var names: [String] {
    Self.versioned.compactMap { contains($0.attribute) ? $0.name : nil }
  }

  private static let versioned = Article.versioned.map { name in
    (name: name, attribute: AttributeSet(index: Article.index(ofAttribute: name)))
  }
}

/// Decides which article changes create no separate version.
enum VersionPolicy {
  /// The count of successive answers that must change a field before it counts as volatile.
  static let volatileAfter = 5
  /// The time in which volatile fields create at most one version, in seconds.
  static let volatileInterval: TimeInterval = 86_400

  /// Returns whether a change continues the previous one.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - earlier: The changes before it, newest first.
  @Sendable
  static func isMerged(_ change: ObjectVersion.Change, _ earlier: [ObjectVersion.Change]) -> Bool {
    guard let last = earlier.first else { return false }
    if isMinor(change), isMinor(last) { return true }
    return followsDirectly(change) && change.attributes.isSubset(of: volatile(earlier))
      && change.date < last.date.addingTimeInterval(volatileInterval)
  }

  /// Returns the attributes that each of the feed's last answers changed. An answer in between that left the
  /// article unchanged ends the series.
  ///
  /// - Parameter changes: Changes, newest first.
  static func volatile(_ changes: [ObjectVersion.Change]) -> AttributeSet {
    guard changes.count >= volatileAfter,
      changes.prefix(volatileAfter - 1).allSatisfy(followsDirectly)
    else { return [] }
    return changes.prefix(volatileAfter).reduce(.init(rawValue: .max)) { $0.intersection($1.attributes) }
  }

  private static func followsDirectly(_ change: ObjectVersion.Change) -> Bool {
    change.note.map { StoredChange(number: $0).followsDirectly } ?? false
  }

  /// True for a change that affects only markup and dates; successive ones keep only the first and the last
  /// values.
  private static func isMinor(_ change: ObjectVersion.Change) -> Bool {
    guard let note = change.note else { return false }
    return !ChangeKinds(rawValue: note).isEdit
  }
}
