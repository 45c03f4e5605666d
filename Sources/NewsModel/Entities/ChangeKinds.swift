package import ManagedContext

/// The kinds of differences between two article versions, stored as a number; see ``StoredChange``.
public struct ChangeKinds: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  /// Reads a stored number, which may contain other bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue & Self.all
  }

  private static let all = 127

  /// The title, or words in the summary or the content.
  public static let words = ChangeKinds(rawValue: 1)
  /// The address of the article, its comments, or a page that it is about.
  public static let link = ChangeKinds(rawValue: 2)
  /// The authors, the tags, the language, or members that are not ``media``.
  public static let peopleAndTags = ChangeKinds(rawValue: 4)
  /// The attachments, the picture, or members about files.
  public static let media = ChangeKinds(rawValue: 8)
  /// The markup in the summary or the content, around the same words.
  public static let markup = ChangeKinds(rawValue: 16)
  /// The dates that the publisher states.
  public static let dates = ChangeKinds(rawValue: 32)

  /// Fields that the user's configuration names as volatile: the server changes them with each fetch.
  public static let volatile = ChangeKinds(rawValue: 64)

  /// True if the change counts as an edit: it is more than new markup, new dates or volatile fields.
  public var isEdit: Bool { !isSubset(of: [.markup, .dates, .volatile]) }

  /// All kinds with their names, in the order in which they are printed.
  static let names: [(kind: ChangeKinds, name: String)] = [
    (.words, "words"), (.link, "link"), (.peopleAndTags, "people and tags"), (.media, "media"),
    (.markup, "markup"), (.dates, "dates"), (.volatile, "volatile"),
  ]

  /// The names of the kinds in the set, for views and JSON.
  public var names: [String] { Self.names.filter { contains($0.kind) }.map(\.name) }

  /// Creates the kinds for an article change that ended a version.
  package init(of change: ObjectVersion.Change) {
    if let note = change.note {
      self.init(rawValue: note)
    } else {
      self = Article.versionedByKind.reduce(into: []) { kinds, known in
        if !AttributeSet(known.attributes).isDisjoint(with: change.attributes) { kinds.insert(known.kind) }
      }
    }
  }

  /// Returns SQL for a JSON array with the names of a column's kinds; null without any.
  static func sql(_ column: String) -> String {
    let parts = names.map {
      "CASE WHEN (\(column) & \($0.kind.rawValue)) <> 0 THEN ',\"\($0.name)\"' ELSE '' END"
    }
    return
      "CASE WHEN (\(column) & \(all)) > 0 THEN '[' || substr(\(parts.joined(separator: " || ")), 2) || ']' END"
  }
}
