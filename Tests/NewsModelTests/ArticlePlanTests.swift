import Foundation
import GRDB
import TestSupport
import Testing

@testable import ManagedContext
@testable import NewsModel
@testable import SQLiteStore

/// The first articles of a list are found in an index: a store may have millions.
@Suite(.disabled(if: TestServer.replacesFiles, "they read the plans of SQLite"))
struct ArticlePlanTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  /// Returns the steps in which SQLite reads the articles of a request.
  ///
  /// - Parameter byOrder: See `StoreSQL.select`.
  private func plan(
    _ request: ManagedContext.FetchRequest<Article>, byOrder: Bool = true
  ) throws -> [String] {
    let sql = StoreSQL(model: NewsModel.model)
    let wanted = try request.query(model: NewsModel.model, columns: []).withoutForeignIDs(in: .none)
    let query = sql.select(wanted, byOrder: byOrder)
    return try DatabaseQueue(path: store.path).read { db in
      let count = query.parameters.cells.count
      let rows = try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN \(query.text)",
        arguments: StatementArguments([Int](repeating: 0, count: count)))
      return rows.map { $0["detail"] as String }.filter { $0.contains("article") }
    }
  }

  private func plan(
    _ attached: AttachedMarks = AttachedMarks(), byOrder: Bool = true,
    _ change: (inout ArticleChoice) -> Void
  ) throws -> [String] {
    var choice = ArticleChoice()
    change(&choice)
    return try plan(
      ManagedContext.FetchRequest(
        Article.self, where: choice.predicate(at: nil, attached), sortedBy: Article.newestFirst,
        limit: 200), byOrder: byOrder)
  }

  @Test func `the newest articles come from the index of dates`() throws {
    #expect(try plan { _ in } == ["SCAN article USING COVERING INDEX article_index0"])
    #expect(
      try plan { $0 = ArticleChoice(region: "world") } == ["SCAN article USING COVERING INDEX article_index0"]
    )
    let span = try plan { $0.until = Date(timeIntervalSince1970: 0) }
    #expect(span == ["SEARCH article USING COVERING INDEX article_index0 (timeline<?)"])
    let future = ManagedContext.FetchRequest(
      Article.self, where: \Article.timelineDate > Date(timeIntervalSince1970: 0),
      sortedBy: Article.newestFirst, limit: 10)
    #expect(try plan(future) == ["SEARCH article USING COVERING INDEX article_index0 (timeline>?)"])
  }

  @Test func `rare articles have indexes of their own`() throws {
    #expect(
      try plan { $0.hasAttachment = true } == ["SCAN article USING INDEX article_with_attachment"])
    #expect(
      try plan { choice in
        choice.hasAttachment = true
        choice.until = Date(timeIntervalSince1970: 0)
      } == ["SEARCH article USING INDEX article_with_attachment (timeline<?)"])
    let starred = try plan(byOrder: false) { $0.marks[.starred] = true }
    #expect(starred.contains { $0.hasPrefix("SEARCH article USING INTEGER PRIMARY KEY") })
    // Marks of articles of other stores do not change the way in which those of this one are found.
    var attached = AttachedMarks()
    for key in 1...20 as ClosedRange<Int64> {
      let other = ManagedObjectID(entity: NewsModel.Place.article, store: .unique(), key: key)
      attached.add(other, [.starred: key.isMultiple(of: 2)])
    }
    #expect(try plan(attached, byOrder: false) { $0.marks[.starred] = true } == starred)
  }

  @Test func `many marked articles come from the index of dates`() throws {
    #expect(try plan { $0.marks[.read] = true }.contains("SCAN article USING COVERING INDEX article_index0"))
  }
}
