public import ManagedContext

/// The news store: its model, and the views that other programs may rely on.
public enum NewsModel {
  /// The entities; the version is the store's `user_version`.
  public static let model = ManagedObjectModel(
    version: 3,
    entities: [
      Region.entity, Feed.entity, Membership.entity, Article.entity, FetchRecord.entity, Attachment.entity,
    ])

  /// The places of the entities in ``model``.
  public enum Place {
    /// ``Region``.
    public static let region: EntityIndex = 0
    /// ``Feed``.
    public static let feed: EntityIndex = 1
    /// ``Membership``.
    public static let membership: EntityIndex = 2
    /// ``Article``.
    public static let article: EntityIndex = 3
    /// ``FetchRecord``.
    public static let fetchRecord: EntityIndex = 4
    /// ``Attachment``.
    public static let attachment: EntityIndex = 5
  }

  /// "NIMP": the store's `application_id`.
  public static let applicationID: Int32 = 0x4E49_4D50

  /// The public views: a contract with those who query the file. Dates are ISO 8601 UTC, booleans 0 or 1.
  ///
  /// Columns are only ever added, at the end. The tables below them are no contract.
  public static let views = [
    """
    CREATE VIEW regions AS
    SELECT r.id, r.name, (SELECT count(*) FROM membership m WHERE m.region_id = r.id) AS feeds
    FROM region r
    """,
    """
    CREATE VIEW feeds AS
    SELECT f.id, f.url, f.title, f.home_page_url,
      CAST(f.etag AS TEXT) AS etag, CAST(f.last_modified AS TEXT) AS last_modified,
      \(date("f.last_fetch")) AS last_fetch, f.last_outcome, f.last_status, f.last_error, f.failures,
      \(date("f.not_before")) AS not_before, f.moved_to, f.gone,
      (SELECT json_group_array(r.name) FROM membership m JOIN region r ON r.id = m.region_id
       WHERE m.feed_id = f.id) AS regions,
      \(date("f.next_fetch")) AS next_fetch, f.next_reason
    FROM feed f
    """,
    """
    CREATE VIEW articles AS
    SELECT a.id, a.feed_id, f.url AS feed, a.guid, a.url, a.title, a.authors, a.tags,
      \(date("a.published")) AS published, \(date("a.modified")) AS modified, a.summary, a.content_html,
      a.attachments, a.image, a.language, \(date("a.imported")) AS imported, a.edits
    FROM article a JOIN feed f ON f.id = a.feed_id
    """,
    """
    CREATE VIEW fetches AS
    SELECT l.id, l.feed_id, f.url AS feed, \(date("l.date")) AS date, l.outcome, l.status, l.error,
      l.inserted, l.edited, l.bytes, l.first_byte_ms, l.total_ms
    FROM fetch l JOIN feed f ON f.id = l.feed_id
    """,
  ]

  private static func date(_ column: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%SZ', \(column), 'unixepoch')"
  }
}
