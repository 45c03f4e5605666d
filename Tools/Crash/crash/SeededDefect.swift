import Foundation
import GRDB

/// A defect that is planted to see a test fail: one that reports nothing proves nothing.
enum SeededDefect: String, Sendable, CaseIterable {
  /// The validators of a response are saved before its articles.
  case validatorsFirst = "validators that are saved first"
  /// The articles of a response are committed one by one.
  case splitCommits = "commits in parts"
  /// Nothing is synced.
  case missingSyncs = "missing syncs"

  /// Changes a store so that claiming a publisher also saves the validators of the next responses of its feeds.
  static func saveValidatorsFirst(in path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      // The tag of `/feed1.xml` is "feed1-1" (see Feeds).
      try db.execute(
        sql: """
          CREATE TRIGGER seeded AFTER INSERT ON publisher_claim BEGIN
            UPDATE feed SET etag = '"' || replace(substr(url, instr(url, '/feed') + 1), '.xml', '-1"')
            WHERE substr(url, 1, length(NEW.origin)) = NEW.origin;
          END
          """)
    }
    try queue.close()
  }
}
