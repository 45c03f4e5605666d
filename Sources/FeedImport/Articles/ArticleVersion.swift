import Foundation
import HTMLText
package import ManagedContext
import NewsModel
import TextOutput

/// An article's values at one time: as the store has them, or as a document states them.
struct ArticleVersion {
  /// The cells for all attributes, in the order of ``Article``.
  let cells: [RowBatch.Cell]
  /// The bytes with the cells' texts.
  let bytes: [UInt8]

  /// Returns a cell's text; nil if it contains anything else.
  func text(_ attribute: Int) -> ArraySlice<UInt8>? {
    guard case .text(let offset, let count) = cells[attribute] else { return nil }
    return bytes[Int(offset)..<Int(offset) + Int(count)]
  }

  /// Returns a cell's number or date, in seconds since 1970; nil if it contains anything else.
  func number(_ attribute: Int) -> Int64? {
    guard case .integer(let number) = cells[attribute] else { return nil }
    return number
  }

  // MARK: Older texts

  /// Returns whether an article had this text before its current one.
  func isKnown(
    of article: Int64, before current: ArticleVersion, _ versions: EarlierVersions,
    volatile: AttributeSet = []
  ) -> Bool {
    versions.contains(article, current: current.cells, current.bytes) { cells, bytes in
      !changes(from: ArticleVersion(cells: cells, bytes: bytes), volatile: volatile).isEdit
    }
  }

  /// Returns the rows that make an older text a version of its article; empty if readers see no change.
  func version(
    of article: Int64, before current: ArticleVersion, _ versions: EarlierVersions,
    volatile: AttributeSet = [],
    at now: Date
  ) -> [BatchUpsert] {
    let kinds = current.changes(from: self, volatile: volatile)
    guard kinds.isEdit else { return [] }
    return versions.adding(
      (cells, bytes), to: article, current: (current.cells, current.bytes), note: Int64(kinds.rawValue),
      since: current.number(Article.schema.imported.index) ?? Int64(now.timeIntervalSince1970))
  }

  // MARK: Differences

  private var schema: Article.Schema { Article.schema }

  /// Returns the kinds of difference from an earlier version; empty if readers see none.
  ///
  /// - Parameter volatile: Attributes that always count as ``ChangeKinds/volatile``.
  func changes(from old: ArticleVersion, volatile: AttributeSet = []) -> ChangeKinds {
    guard !volatile.isEmpty else { return differences(from: old, in: .init(rawValue: .max)) }
    let kinds = differences(from: old, in: AttributeSet(rawValue: ~volatile.rawValue))
    return differences(from: old, in: volatile).isEmpty ? kinds : kinds.union(.volatile)
  }

  /// - Parameter counted: The attributes to compare.
  private func differences(from old: ArticleVersion, in counted: AttributeSet) -> ChangeKinds {
    var kinds: ChangeKinds = []
    for (attribute, kind) in Article.versionedKinds where counted.contains(AttributeSet(index: attribute)) {
      kinds.formUnion(change(of: attribute, kind, from: old))
    }
    return kinds
  }

  /// Returns the kinds of an attribute's change; empty if it has the same value.
  ///
  /// - Parameter kind: The kind of other programs' changes.
  private func change(of attribute: Int, _ kind: ChangeKinds, from old: ArticleVersion) -> ChangeKinds {
    guard text(attribute) != old.text(attribute) || number(attribute) != old.number(attribute) else {
      return []
    }
    switch attribute {
    case schema.summary.index, schema.contentHTML.index:
      return HTMLWords.areSame(text(attribute) ?? [], old.text(attribute) ?? []) ? .markup : kind
    case schema.authors.index, schema.attachments.index:
      return old.isWhole || earlierFields(attribute) != old.earlierFields(attribute) ? kind : []
    case schema.externalURL.index, schema.commentsURL.index: return old.isWhole ? kind : []
    case schema.members.index: return old.isWhole ? memberChanges(from: old) : []
    default: return kind
    }
  }

  /// False for a row from before model version 10, which lacks members, two addresses, avatars and durations.
  private var isWhole: Bool { number(schema.storedChange.index) != nil }

  /// The objects in a list, without the fields that rows from before model version 10 lack.
  private func earlierFields(_ attribute: Int) -> [[String: [UInt8]]] {
    let list = text(attribute) ?? []
    guard JSONShape.array.matches(list.span) else { return [] }
    var objects: [[String: [UInt8]]] = []
    JSONMembers.readElements(list.span, of: 0..<list.count) { element in
      objects.append(
        Self.members(JSONMembers.written(element, in: list.span)[...])
          .filter { $0.key != "avatar" && $0.key != "duration_in_seconds" })
    }
    return objects
  }

  /// The member kinds that do not count as people and tags. Counters, which change by themselves, have none,
  /// nor have members that only earlier versions of the program stored.
  private static let memberKinds: [String: ChangeKinds] = [
    "content_text": .words, "comment_count": [], "community": [], "embed": [], "hit_parade": [], "order": [],
    "shapes": [], "texts": [], "values": [],
    "comment_feed_url": .link, "comment_post_url": .link, "original_url": .link, "links": .link,
    "media": .media, "thumbnails": .media, "player_url": .media, "banner_image": .media,
    "duration_in_seconds": .media, "transcripts": .media, "chapters": .media, "soundbites": .media,
    "alternate_enclosures": .media, "content_src": .media,
  ]

  private func memberChanges(from old: ArticleVersion) -> ChangeKinds {
    let (members, earlier) = (
      Self.members(text(schema.members.index) ?? []), Self.members(old.text(schema.members.index) ?? [])
    )
    var kinds: ChangeKinds = []
    for name in Set(members.keys).union(earlier.keys) where members[name] != earlier[name] {
      kinds.formUnion(Self.memberKinds[name] ?? .peopleAndTags)
    }
    return kinds
  }

  /// Returns an object's member values as they are written; empty for other text.
  private static func members(_ object: ArraySlice<UInt8>) -> [String: [UInt8]] {
    var members: [String: [UInt8]] = [:]
    let mistake = JSONMembers.read(object.span) { key, value in
      members[JSONMembers.text(object.span, key)] = JSONMembers.written(value, in: object.span)
    }
    return mistake == nil ? members : [:]
  }
}

/// Stored articles, by their keys.
package struct StoredArticles: Sendable {
  private var rows = RowBatch(entity: NewsModel.Place.article, columns: Article.columns)
  private var places: [Int64: Int] = [:]

  /// No articles.
  package init() {}

  /// Articles among rows with all attributes.
  package init(_ rows: RowBatch) {
    self.rows = rows
    places = Dictionary(rows.keys.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
  }

  init(_ keys: [Int64], in context: ManagedObjectContext) throws(StoreError) {
    let ids = keys.compactMap { context.id(Article.self, row: $0) }
    self.init(
      try context.rows(FetchRequest(Article.self, where: .ids(ids)), columns: Article.columns))
  }

  /// Returns an article; nil if it was not read, or no longer exists.
  subscript(key: Int64) -> ArticleVersion? {
    guard let place = places[key] else { return nil }
    let cells = Article.columns.map { rows.cell(row: place, column: $0) }
    return ArticleVersion(cells: cells, bytes: rows.bytes)
  }
}
