public import ManagedContext

/// The fields in a feed's articles that its server changes with each fetch.
public struct VolatileFields: Sendable, Equatable {
  /// The feed's key.
  public let feed: Int64
  /// The names of the fields that every one of the last answers changed in at least one article.
  public let names: [String]
  /// The count of such articles.
  public let articles: Int

  /// Returns the volatile fields of each feed that has any.
  ///
  /// It reads the index of all versions, and the last versions of articles that have changed often.
  public static func all(_ query: StatisticsQuery) throws(StoreError) -> [VolatileFields] {
    var found: [VolatileFields] = []
    try query(sql(query.dialect)) { row in
      guard case .integer(let feed)? = row.first, case .integer(let articles)? = row.dropFirst().first else {
        return true
      }
      let names = zip(Article.versioned, row.dropFirst(2)).filter { $0.1 == .integer(1) }.map(\.0)
      found.append(VolatileFields(feed: feed, names: names, articles: Int(articles)))
      return true
    }
    return found.sorted { $0.feed < $1.feed }
  }

  private static func sql(_ dialect: SQLDialect) -> String {
    let names = Article.versioned
    func count(_ condition: String) -> String { "sum(CASE WHEN \(condition) THEN 1 ELSE 0 END)" }
    let isInAll = names.map { name in
      let isChanged = "\(dialect.position(of: "'\"\(name)\"'", in: "v.changed")) > 0"
      return "min(CASE WHEN \(isChanged) THEN 1 ELSE 0 END) AS \(name)"
    }
    let after = VersionPolicy.volatileAfter
    return """
      SELECT feed_id, count(*), \(names.map { "max(\($0))" }.joined(separator: ", ")) FROM (
        SELECT a.feed_id, \(isInAll.joined(separator: ", "))
        FROM (SELECT article_id, max(number) AS last FROM article_version GROUP BY article_id
          HAVING max(number) >= \(after)) often
        JOIN article_version v ON v.article_id = often.article_id AND v.number > often.last - \(after)
        JOIN article a ON a.id = often.article_id
        GROUP BY often.article_id, a.feed_id HAVING count(*) = \(after)
          AND \(count("(v.note & \(StoredChange.direct)) <> 0 AND v.number > often.last - \(after - 1)")) = \(after - 1)) changed
      WHERE \(names.map { "\($0) = 1" }.joined(separator: " OR ")) GROUP BY feed_id
      """
  }
}
