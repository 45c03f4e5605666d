public import ManagedContext

/// The news store's model, and its public views.
public enum NewsModel {
  /// The entities. The model's version is the file's `user_version`.
  public static let model = ManagedObjectModel(
    version: 18,
    entities: [
      Region.self, Feed.self,
      Article.self, FetchRecord.self, AttachedStore.self,
      FormerAddress.self, ReadMark.self, Star.self,
      Tombstone.self, ReportedFailure.self,
      Outage.self, Upkeep.self, ImportedDocument.self,
      HookFailure.self,
      PublisherClaim.self, AttachedMark.self, Fetcher.self,
      HostLimit.self, Counter.self, FollowedList.self,
    ])

  /// Entity indexes in ``model``.
  public enum Place {
    /// ``Region``.
    public static let region = place(of: Region.self)
    /// ``Feed``.
    public static let feed = place(of: Feed.self)
    /// ``Article``.
    public static let article = place(of: Article.self)
    /// ``FetchRecord``.
    public static let fetchRecord = place(of: FetchRecord.self)
    /// ``FormerAddress``.
    public static let formerAddress = place(of: FormerAddress.self)
    /// ``ReadMark``.
    public static let readMark = place(of: ReadMark.self)
    /// ``Star``.
    public static let star = place(of: Star.self)
    /// ``Tombstone``.
    public static let tombstone = place(of: Tombstone.self)
    /// ``ImportedDocument``.
    public static let importedDocument = place(of: ImportedDocument.self)
    /// ``PublisherClaim``.
    public static let publisherClaim = place(of: PublisherClaim.self)
    /// ``AttachedMark``.
    public static let attachedMark = place(of: AttachedMark.self)
    /// ``HostLimit``.
    public static let hostLimit = place(of: HostLimit.self)

    private static func place(of type: ManagedObject.Type) -> EntityIndex {
      guard let place = model.index(of: type) else { preconditionFailure("\(type) is not in the model") }
      return place
    }
  }

  /// The file's `application_id`: "NIMP".
  public static let applicationID: Int32 = 0x4E49_4D50

  /// The statements that convert rows when an older file is migrated to a version.
  public static let conversions: [(version: Int, statements: [String])] = [
    (
      8,
      [
        // No view can show dates outside the years 1 to 9999. Since this version, the reader's clock, not the
        // importer's, shows whether a date is in the future.
        """
        UPDATE article SET published = \(storable("published")), modified = \(storable("modified")),
          timeline = coalesce(\(storable("published")), \(storable("modified")), imported)
        WHERE timeline IS NOT coalesce(\(storable("published")), \(storable("modified")), imported)
          OR published IS NOT \(storable("published")) OR modified IS NOT \(storable("modified"))
        """,
        // Rows were numbered in document order, with the newest article first.
        """
        UPDATE article SET sequence = imported * 1000000 - article.id
        FROM (SELECT timeline, feed_id FROM article GROUP BY timeline, feed_id HAVING count(*) > 1) AS tie
        WHERE article.timeline = tie.timeline AND article.feed_id = tie.feed_id
        """,
        // A title before the first fetch came from a feed list.
        "UPDATE feed SET own_title = title WHERE fetches = 0 AND title IS NOT NULL",
      ]
    ),
    // Reasons are codes and numbers since this version. The next poll replaces a sentence; a feed that ended
    // has no next poll.
    (9, ["UPDATE feed SET reason_code = 'gone', next_reason = NULL WHERE gone AND next_reason IS NOT NULL"]),
    (11, ["UPDATE article SET story = coalesce(\(storyKey)(url), \(storyKey)(guid))"]),
    // Since version 14, the date that orders articles follows corrections.
    (
      14,
      [
        """
        UPDATE article SET timeline = coalesce(published, modified, imported)
        WHERE timeline IS NOT coalesce(published, modified, imported)
        """
      ]
    ),
  ]

  /// The name of the SQL function that ``conversions`` call for ``Article/story``. Its argument is an
  /// address; its result is null for an address without a key.
  public static let storyKey = "story_key"

  /// Returns SQL that limits a date to the years 1 to 9999 in UTC. Null stays null.
  private static func storable(_ column: String) -> String {
    "min(max(\(column), -62135596800), 253402300799)"
  }

  /// Returns the statements that create the public views and the objects that they need. Other programs may
  /// rely on the views.
  ///
  /// Dates are ISO 8601 in UTC, Boolean values 0 or 1. Addresses contain no passwords. New columns are added
  /// only at the end. The tables are not part of the contract.
  public static func views(_ dialect: SQLDialect) -> [String] {
    SentenceTable.statements(dialect) + indexes(dialect) + [
      """
      CREATE VIEW regions AS
      SELECT r.id, r.name, \(dialect.integer("(SELECT count(*) FROM membership m WHERE m.region_id = r.id)")) AS feeds
      FROM region r
      """,
      """
      CREATE VIEW feeds AS
      SELECT f.id, \(publicAddress("f", dialect)) AS url, \(dialect.text("coalesce(f.own_title, f.title)")) AS title, f.home_page_url,
        \(dialect.text(dialect.printable("f.etag"))) AS etag, \(dialect.text(dialect.printable("f.last_modified"))) AS last_modified,
        \(dialect.text(dialect.date("f.last_fetch"))) AS last_fetch, f.last_outcome, f.last_status, \(dialect.text(PollFailure.sql("f", detail: "last_error"))) AS last_error, f.failures,
        \(dialect.text(dialect.date("f.not_before"))) AS not_before, \(dialect.text(address("f.moved_to", dialect))) AS moved_to, f.gone,
        \(dialect.text(regionNames(dialect))) AS regions,
        \(dialect.text("CASE WHEN EXISTS (SELECT 1 FROM membership m WHERE m.feed_id = f.id) THEN \(dialect.date("f.next_fetch")) END")) AS next_fetch,
        \(dialect.text(PollReason.sql("f"))) AS next_reason, f.title AS publisher_title, f.language
      FROM feed f
      """,
      """
      CREATE VIEW articles AS
      SELECT a.id, a.feed_id, \(publicAddress("f", dialect)) AS feed, a.guid, a.url, a.title, a.authors, a.tags,
        \(dialect.text(dialect.date("a.published"))) AS published, \(dialect.text(dialect.date("a.modified"))) AS modified, a.summary, a.content_html,
        a.attachments, a.image, \(dialect.text("coalesce(a.language, f.language)")) AS language, \(dialect.text(dialect.date("a.imported"))) AS imported, a.edits,
        \(dialect.integer("CASE WHEN EXISTS (SELECT 1 FROM read_mark m WHERE m.article_id = a.id) THEN 1 ELSE 0 END")) AS read,
        \(dialect.integer("CASE WHEN EXISTS (SELECT 1 FROM star s WHERE s.article_id = a.id) THEN 1 ELSE 0 END")) AS starred, a.sequence,
        \(dialect.text(ChangeKinds.sql("a.last_change"))) AS last_change, a.external_url, a.comments_url, a.members,
        a.story, \(dialect.text(dialect.date(listDate(dialect)))) AS date, a.timeline
      FROM article a JOIN feed f ON f.id = a.feed_id
      """,
      """
      CREATE VIEW fetches AS
      SELECT l.id, l.feed_id, \(publicAddress("f", dialect)) AS feed, \(dialect.text(dialect.date("l.date"))) AS date, l.outcome, l.status,
        \(dialect.text(PollFailure.sql("l", detail: "error"))) AS error,
        l.inserted, l.edited, l.bytes, l.first_byte_ms, l.total_ms, l.transferred_bytes,
        \(dialect.integer("coalesce(l.markup_changes, 0)")) AS markup_changes, \(dialect.integer("coalesce(l.date_changes, 0)")) AS date_changes
      FROM "fetch" l JOIN feed f ON f.id = l.feed_id
      """,
      VersionsView.sql(dialect),
    ]
  }

  /// Returns SQL for ``Article/listDate(at:)``.
  private static func listDate(_ dialect: SQLDialect) -> String {
    "CASE WHEN a.timeline > \(dialect.now) THEN \(dialect.least(["a.imported", dialect.now])) ELSE a.timeline END"
  }

  /// Returns the statements that create the indexes used only by SQL.
  private static func indexes(_ dialect: SQLDialect) -> [String] {
    // Makes querying the views for one address as fast as querying the table.
    dialect.index("feed_address", on: "feed", text: publicAddress(nil, dialect))
      // Finds the due feeds, and the few paused ones, without reading the others.
      + dialect.index("feed_next_fetch", on: "feed(next_fetch)")
      + dialect.index("feed_scheduled_at", on: "feed(scheduled_at)")
      + dialect.index("feed_paused", on: "feed(not_before) WHERE not_before IS NOT NULL")
      // The rare articles that a choice may select, in list order.
      + dialect.index("article_edited", on: "article(timeline, sequence) WHERE edits > 0")
      + dialect.index(
        "article_with_attachment", on: "article(timeline, sequence) WHERE attachments IS NOT NULL")
  }

  /// The table columns that SQLite computes for the views: a column has a type, and its index serves queries
  /// on the views.
  public static let computedColumns = [
    ComputedColumn(
      table: Feed.entityName, name: "public_url", type: "TEXT", value: address("url", .sqlite))
  ]

  /// Returns SQL for a feed's address without its password.
  ///
  /// - Parameter feed: The table's name in the query; nil for the table that an index belongs to.
  private static func publicAddress(_ feed: String?, _ dialect: SQLDialect) -> String {
    let table = feed.map { $0 + "." } ?? ""
    return switch dialect {
    case .sqlite: "\(table)public_url"
    case .postgresql: address("\(table)url", dialect)
    }
  }

  /// Returns SQL for an address without the password before its host. Other texts stay unchanged.
  ///
  /// It contains no subquery, so that it can be indexed. `http://` has 7 characters and a host at least 1,
  /// `https://` 8.
  private static func address(_ column: String, _ dialect: SQLDialect) -> String {
    let rest = "substr(\(column), 9)"
    let ends = ["/", "?", "#"].map { dialect.position(of: "'\($0)'", in: "\(rest) || '\($0)'") }
    let host = "substr(\(column), 1, 7 + \(dialect.least(ends)))"
    // Everything up to the authority's last @: trims all other characters from its end.
    let user = "rtrim(\(host), replace(\(host), '@', ''))"
    let colon = dialect.position(of: "':'", in: "substr(\(user), 8)")
    return """
      CASE WHEN \(dialect.position(of: "'@'", in: column)) = 0 OR \(colon) = 0 THEN \(column)
      ELSE substr(\(column), 1, 6 + \(colon)) || '@' || substr(\(column), length(\(user)) + 1) END
      """
  }

  /// Returns SQL that lists the names of a feed's regions as a JSON array.
  ///
  /// It avoids the JSON functions, because SQLite 3.40 refuses them in a view if it does not trust the file.
  /// Names have no control characters.
  private static func regionNames(_ dialect: SQLDialect) -> String {
    let quoted = #"'"' || replace(replace(r.name, '\', '\\'), '"', '\"') || '"'"#
    return """
      (SELECT '[' || coalesce(\(dialect.list(quoted, by: "r.id")), '') || ']'
      FROM membership m JOIN region r ON r.id = m.region_id WHERE m.feed_id = f.id)
      """
  }
}
