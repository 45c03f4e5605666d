import Foundation
package import ManagedContext
package import NewsModel
import TextOutput
import TextSearch
import WebAddress

/// An article's fields in records for programs.
package enum ArticleFields {
  package static let all: [RecordField<ListedArticle>] =
    standard + [
      contentHTML,
      .json("attachments", Article.schema.attachments, .array),
      .text("image", Article.schema.image),
      RecordField("language", of: Article.schema.language.index) { $0.language },
      .date("imported", Article.schema.imported),
      .value("edits", Article.schema.edits),
      RecordField(read) { $0.marks.contains(.read) },
      RecordField(starred) { $0.marks.contains(.starred) },
      RecordField("last_change", of: Article.schema.storedChange.index) {
        ($0.lastChange ?? []).names
      },
      .text("external_url", Article.schema.externalURL),
      .text("comments_url", Article.schema.commentsURL),
      .json("members", Article.schema.members, .object),
    ]

  package static let standard: [RecordField<ListedArticle>] = [
    RecordField("id") { $0.number },
    .text("guid", Article.schema.guid),
    RecordField("feed") { $0.regions.address(of: $0.feed) },
    .text("title", Article.schema.title),
    .text("url", Article.schema.url),
    .date("published", Article.schema.published),
    .date("modified", Article.schema.modified),
    .json("authors", Article.schema.authors, .array),
    .json("tags", Article.schema.tags, .array),
    .text("summary", Article.schema.summary),
    RecordField("also_in") { $0.otherFeeds.map(\.url.withoutPassword) },
    RecordField("feed_title") { $0.regions.title(of: $0.feed) },
    RecordField("regions") { $0.regions.names(of: $0.feed) },
  ]

  /// The fields in addition to the standard ones.
  package static let further = Array(all.dropFirst(standard.count))

  static let contentHTML = RecordField<ListedArticle>.text("content_html", Article.schema.contentHTML)

  /// Returns the attributes that must be read to write fields.
  package static func columns(of fields: [RecordField<ListedArticle>]) -> AttributeSet {
    Article.listed.union(AttributeSet(indexes: fields.compactMap(\.attribute)))
  }

  /// Returns the marks that must be read to write fields.
  package static func marks(of fields: [RecordField<ListedArticle>]) -> Set<ArticleMark> {
    let names = Set(fields.map(\.name))
    return ArticleMark.all.filter { names.contains($0 == .read ? read : starred) }
  }

  private static let (read, starred) = ("read", "starred")
}

extension ArticleFields {
  /// Returns a named article attribute's value as the field with this name has it.
  package static func value(_ name: String, _ value: AttributeValue) -> any RecordValue {
    switch name {
    case Article.schema.published.name, Article.schema.modified.name:
      return Date?(attributeValue: value).flatMap(\.self)
    case Article.schema.authors.name, Article.schema.tags.name, Article.schema.attachments.name:
      return json(value, .array)
    case Article.schema.members.name: return json(value, .object)
    default: return value
    }
  }

  private static func json(_ value: AttributeValue, _ shape: JSONShape) -> RawJSON? {
    if case .text(let text) = value { json(text, shape) } else { json(nil, shape) }
  }

  /// Returns a list or an object that the store has as JSON. Without it, and for other text that another
  /// program has written, it is an empty list or nil.
  fileprivate static func json(_ text: String?, _ shape: JSONShape) -> RawJSON? {
    if let text, shape.matches(text) { return RawJSON(withEscapes(text)) }
    return shape.empty.map(RawJSON.init)
  }
}

extension RecordField<ListedArticle> {
  fileprivate static func value<Value: AttributeConvertible & RecordValue>(
    _ name: String, _ key: AttributeKey<Value>
  ) -> Self {
    RecordField(name, of: key.index) { $0[key] }
  }

  fileprivate static func text<Text: TextAttribute & RecordValue>(
    _ name: String, _ key: AttributeKey<Text>
  ) -> Self {
    RecordField(name, of: key.index) {
      $0[key]
    } write: { listed, json in
      listed.withUTF8(of: key) { text in
        if let text { json.string(text) } else { Text.placeholder.writeJSON(to: &json) }
      }
    }
  }

  fileprivate static func date<Value: AttributeConvertible & RecordValue>(
    _ name: String, _ key: AttributeKey<Value>
  ) -> Self {
    RecordField(name, of: key.index) {
      $0[key]
    } write: { listed, json in
      switch listed.storedValue(of: key) {
      case .null where Value.isOptional: json.null()
      case .integer(let seconds) where ISODate.fourDigitYears.contains(seconds): json.date(seconds)
      default: listed[key].writeJSON(to: &json)
      }
    }
  }

  /// A list or an object that the store has as JSON; see ``ArticleFields/json(_:_:)``.
  fileprivate static func json(_ name: String, _ key: AttributeKey<String?>, _ shape: JSONShape) -> Self {
    RecordField(name, of: key.index) {
      ArticleFields.json($0[key], shape)
    } write: { listed, json in
      listed.withUTF8(of: key) { text in
        if let text, shape.matches(text) { json.raw(text) } else { json.raw(shape.empty ?? "null") }
      }
    }
  }
}
