package import ManagedContext
import NewsModel
package import TextOutput

/// The format of an export as JSON Lines: a first line with the version, a line for each row of each table, and a last line
/// with their number, which shows that nothing is missing.
///
/// A line has the table's name, the row's number and the row's values by the names of their attributes. Dates are ISO 8601 in
/// UTC. The lines of articles also have the marks.
package enum ExportFormat {
  /// The value of the first member of the first line.
  package static let name = "newsimport export"
  /// The version of the format. Within a version, tables and members are only added.
  package static let version = 1
  /// The name of the member that names the format.
  package static let formatKey = "format"
  /// The name of the member of the first line that announces a last line. Other programs may write none.
  package static let endLineKey = "end_line"
  /// The name of the first member of the last line. Its value is ``name``.
  package static let endKey = "end"
  /// The name of the member with the number of lines between the first and the last.
  package static let linesKey = "lines"
  /// The name of the member that names the table of a line.
  package static let tableKey = "table"
  /// The marks among the members of an article.
  package static let markKeys = ["read", "starred"]

  /// The tables, in an order in which each row follows those that it refers to.
  package static let tables: [EntityIndex] =
    [
      NewsModel.Place.region, NewsModel.Place.feed, NewsModel.Place.membership, NewsModel.Place.formerAddress,
      NewsModel.Place.tombstone, NewsModel.Place.article,
    ] + [versions].compactMap(\.self) + [NewsModel.Place.fetchRecord, NewsModel.Place.reportedFailure]

  /// The table of the versions of articles. Its lines name their article by its feed and its guid.
  package static let versions = NewsModel.model.versions(of: NewsModel.Place.article)?.entity
  /// The feed and the guid among the members of a version.
  package static let (feedKey, guidKey) = (Article.Key.feed.name, Article.Key.guid.name)

  /// Returns whether an attribute is exported: a claim is a right of a running process.
  package static func isExported(_ attribute: AttributeDescription, of table: EntityIndex) -> Bool {
    switch table {
    case NewsModel.Place.feed: !["claim", "claimed_until"].contains(attribute.name)
    case versions: attribute.name != VersionEntity.transaction
    default: true
    }
  }

  /// Returns whether an attribute is null in an export of chosen articles: with the validators of a feed, its server would
  /// never send the other articles.
  package static func isWithheld(_ attribute: AttributeDescription, of table: EntityIndex) -> Bool {
    guard table == NewsModel.Place.feed else { return false }
    return FeedValidators.columns.contains { NewsModel.model[table].attributes[$0].name == attribute.name }
  }

  /// Returns the kind of the JSON in the texts of an attribute; nil for other texts.
  package static func shape(of attribute: AttributeDescription, of table: EntityIndex) -> JSONShape? {
    guard table == NewsModel.Place.article || table == versions else { return nil }
    return switch attribute.name {
    case "changed" where table == versions: .array
    case "authors", "tags", "attachments": .array
    case "members": .object
    default: nil
    }
  }
}
