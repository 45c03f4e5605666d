import ManagedContext

/// The SQL of the view `versions`: what articles were before they changed.
///
/// Values are whole, also those that a change left as they were. They are found in the next version that has them, or in
/// the article; a long text is put together from its differences (`VersionEntity`).
enum VersionsView {
  /// Returns the statement that creates the view.
  static func sql(_ dialect: SQLDialect) -> String {
    let values = Article.versioned.map { name -> String in
      // PostgreSQL keeps long texts whole.
      let isWhole = dialect == .postgresql || !Article.longTexts.contains(name)
      let value = isWhole ? value(name, dialect) : longText(name, dialect)
      return "\(isDate(name) ? dialect.date(value) : value) AS \(name)"
    }
    return """
      CREATE VIEW versions AS
      SELECT v.article_id, v.number AS version,
        \(dialect.date("coalesce((SELECT e.replaced FROM article_version e WHERE e.article_id = v.article_id AND e.number < v.number ORDER BY e.number DESC LIMIT 1), a.imported)")) AS seen,
        (SELECT \(ChangeKinds.sql("k.kinds")) FROM (SELECT coalesce(v.note, \(kindsOfFields(dialect))) AS kinds) k) AS kind,
        \(values.joined(separator: ",\n  ")),
        \(dialect.date("v.replaced")) AS replaced, v.changed, v.merged
      FROM article_version v JOIN article a ON a.id = v.article_id
      """
  }

  private static func isDate(_ name: String) -> Bool {
    [Article.Key.published.name, Article.Key.modified.name].contains(name)
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

  /// Returns SQL that puts a long text together, from the next version that has it whole, or else from the article.
  private static func longText(_ name: String, _ dialect: SQLDialect) -> String {
    let later = "CAST(l.text AS BLOB)"
    return """
      (WITH RECURSIVE later(number, text) AS (
        SELECT coalesce(w.number, 9223372036854775807), CASE WHEN w.number IS NULL THEN a.\(name) ELSE (
          SELECT n.\(name) FROM article_version n WHERE n.article_id = v.article_id AND n.number = w.number) END
        FROM (SELECT min(n.number) AS number FROM article_version n WHERE n.article_id = v.article_id
          AND n.number >= v.number AND n.\(name)_start IS NULL AND \(has(name, "n", dialect))) w
        UNION ALL SELECT n.number, CAST(substr(\(later), 1, n.\(name)_start) AS TEXT) ||
          coalesce((\(parts(name, later))), n.\(name)) ||
          CAST(substr(\(later), length(\(later)) - n.\(name)_end + 1) AS TEXT)
        FROM later l JOIN article_version n ON n.article_id = v.article_id AND n.number = (
          SELECT max(m.number) FROM article_version m WHERE m.article_id = v.article_id
          AND m.number >= v.number AND m.number < l.number AND \(has(name, "m", dialect))))
      SELECT text FROM later ORDER BY number LIMIT 1)
      """
  }

  /// Returns a query for the text between the common start and end of two versions; null if that is the difference as a whole.
  private static func parts(_ name: String, _ later: String) -> String {
    // Functions such as json_extract() are not allowed in views (sqlite.org/pragma.html#pragma_trusted_schema).
    func number(_ place: Int) -> String { "max(CASE WHEN p.key % 4 = \(place) THEN p.value END)" }
    func part(_ text: String, _ place: Int) -> String {
      "CAST(substr(\(text), \(number(place)) + 1, \(number(place + 1))) AS TEXT)"
    }
    return """
      SELECT group_concat(part, '') FROM (
        SELECT \(part("CAST(n.\(name) AS BLOB)", 0)) || \(part(later, 2)) AS part
        FROM json_each(n.\(name)_parts) p GROUP BY p.key / 4 ORDER BY p.key / 4)
      """
  }

  /// See ``ChangeKinds/fields``.
  private static func kindsOfFields(_ dialect: SQLDialect) -> String {
    ChangeKinds.fields.map { kind, fields in
      let isChanged = fields.map { has($0, "v", dialect) }.joined(separator: " OR ")
      return "CASE WHEN \(isChanged) THEN \(kind.rawValue) ELSE 0 END"
    }.joined(separator: " + ")
  }
}
