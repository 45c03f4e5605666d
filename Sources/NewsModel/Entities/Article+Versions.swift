import Foundation
package import ManagedContext

/// The article values that the history keeps.
extension Article {
  /// The attributes that create a version when they change, in the order of a version's values, each with the
  /// kind of a change by another program: any change to a text counts as new words.
  private static func versioned(_ schema: Schema) -> [(attribute: any SchemaColumn, kind: ChangeKinds)] {
    [
      (schema.title, .words), (schema.summary, .words), (schema.contentHTML, .words), (schema.url, .link),
      (schema.externalURL, .link), (schema.commentsURL, .link), (schema.authors, .peopleAndTags),
      (schema.tags, .peopleAndTags), (schema.language, .peopleAndTags), (schema.image, .media),
      (schema.attachments, .media), (schema.members, .peopleAndTags), (schema.published, .dates),
      (schema.modified, .dates),
    ]
  }

  /// The names of the attributes that create a version when they change, in the order of a version's values.
  package static let versioned = versioned(schema).map(\.attribute.name)

  /// The indexes of ``versioned``, each with its kind of change, in the same order.
  package static let versionedKinds = versioned(schema).map { (attribute: $0.attribute.index, kind: $0.kind) }

  /// The indexes of ``versioned``, in the same order.
  static let versionedIndexes = versioned(schema).map(\.attribute.index)

  /// The attributes in ``versioned`` by their kinds.
  static let versionedByKind: [(kind: ChangeKinds, attributes: [any SchemaColumn])] = {
    let fields = versioned(schema)
    var kinds: [ChangeKinds] = []
    for field in fields where !kinds.contains(field.kind) { kinds.append(field.kind) }
    return kinds.map { kind in (kind, fields.filter { $0.kind == kind }.map(\.attribute)) }
  }()

  /// The attributes that a configuration can name as volatile. No server changes an article's language.
  package static let volatileNames = versioned.filter { $0 != schema.language.name }

  /// Returns the index for an attribute name in ``versioned``.
  package static func index(ofAttribute name: String) -> Int {
    entity.description.attributes.firstIndex { $0.name == name } ?? columns.count
  }

  /// The count of successive answers that must change a field before it is volatile.
  package static let volatileAfter = VersionPolicy.volatileAfter

  /// Returns the attributes for names in the configuration.
  package static func attributes(named names: [String]) -> AttributeSet {
    let attributes = entity.description.attributes
    return AttributeSet(indexes: attributes.indices.filter { names.contains(attributes[$0].name) })
  }

  static func history(_ schema: Schema) -> HistoryOptions {
    var options = HistoryOptions()
    options.isFollowed = true
    options.oldValues = versioned(schema).map(\.attribute.name)
    options.deletedValues = [schema.feed.name, schema.guid.name]
    options.note = schema.storedChange.name
    options.isMerged = VersionPolicy.isMerged
    return options
  }
}

extension AttributeSet {
  /// The attribute names in the set, in the order of ``Article/versioned``.
  package var names: [String] {
    zip(Article.versioned, Article.versionedIndexes).compactMap { name, index in
      contains(AttributeSet(index: index)) ? name : nil
    }
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
