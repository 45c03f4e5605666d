/// The search index tables. They contain derived data.
enum SearchTables {
  /// The table with a row for each indexed row.
  static let documents = "persistent_search"
  /// The word table, for searches by word parts. Some words no longer belong to a row.
  static let words = "persistent_search_word"
  /// The table with one row about the index's progress.
  static let state = "persistent_search_state"

  /// The version of the tables.
  static let format = 2

  static let statements = [
    """
    CREATE TABLE IF NOT EXISTS \(documents) (key bigint NOT NULL PRIMARY KEY, version bigint NOT NULL, grouped bigint, \
    date double precision, is_partial boolean NOT NULL, words tsvector COMPRESSION lz4)
    """,
    "CREATE INDEX IF NOT EXISTS \(documents)_words ON \(documents) USING gin (words)",
    "CREATE INDEX IF NOT EXISTS \(documents)_without ON \(documents) (key) WHERE words IS NULL",
    #"CREATE TABLE IF NOT EXISTS \#(words) (word text COLLATE "C" NOT NULL PRIMARY KEY)"#,
    """
    CREATE TABLE IF NOT EXISTS \(state) (format bigint NOT NULL, token bigint NOT NULL, mark bigint NOT NULL, scanned bigint)
    """,
  ]
}
