import ManagedContext

/// The SQL for the view `versions`: the articles before they changed.
///
/// All values are present, even unchanged ones. These are found in the next version that has them, or in the
/// article.
enum VersionsView {
  static func sql(_ dialect: SQLDialect) -> String {
    let values = Article.versioned.map { name -> String in
      let value = value(name, dialect)
      return "\(dialect.text(isDate(name) ? dialect.date(value) : value)) AS \(name)"
    }
    return """
      CREATE VIEW versions AS
      SELECT v.article_id, v.number AS version,
        \(dialect.text(dialect.date("coalesce((SELECT e.replaced FROM article_version e WHERE e.article_id = v.article_id AND e.number < v.number ORDER BY e.number DESC LIMIT 1), a.imported)"))) AS seen,
        \(dialect.text("(SELECT \(ChangeKinds.sql("k.kinds")) FROM (SELECT coalesce(v.note, \(kindsOfFields(dialect))) AS kinds) k)")) AS kind,
        \(values.joined(separator: ",\n  ")),
        \(dialect.text(dialect.date("v.replaced"))) AS replaced, v.changed, v.merged
      FROM article_version v JOIN article a ON a.id = v.article_id
      """
  }

  private static func isDate(_ name: String) -> Bool {
    [Article.schema.published.name, Article.schema.modified.name].contains(name)
  }

  /// Returns SQL that is true if a version has a field.
  private static func has(_ name: String, _ version: String, _ dialect: SQLDialect) -> String {
    "\(dialect.position(of: "'\"\(name)\"'", in: "\(version).changed")) > 0"
  }

  private static func value(_ name: String, _ dialect: SQLDialect) -> String {
    """
    (SELECT value FROM (SELECT n.number, n.\(name) AS value FROM article_version n
      WHERE n.article_id = v.article_id AND n.number >= v.number AND \(has(name, "n", dialect))
      UNION ALL SELECT 9223372036854775807, a.\(name)) later ORDER BY number LIMIT 1)
    """
  }

  /// See ``Article/versionedByKind``.
  private static func kindsOfFields(_ dialect: SQLDialect) -> String {
    Article.versionedByKind.map { kind, attributes in
      let isChanged = attributes.map { has($0.name, "v", dialect) }.joined(separator: " OR ")
      return "CASE WHEN \(isChanged) THEN \(kind.rawValue) ELSE 0 END"
    }.joined(separator: " + ")
  }
}
