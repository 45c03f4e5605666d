import Foundation
import HTMLText
import ManagedContext
import NewsModel
import TestSupport
import Testing

@testable import ArticleDocuments
@testable import NewsCommand
@testable import NewsConfiguration

@Suite struct ArticleLineTests {
  private let store: TestSupport.NewsStore

  init() throws {
    store = try TestSupport.NewsStore()
  }

  /// The line of an article that was edited three times, in a terminal of the given width.
  private func line(_ title: String, columns: Int?) async throws -> String {
    try await store.perform { (source) throws(StoreError) in
      defer { source.context.rollback() }
      let article = source.context.insert(Article.self)
      article[Article.schema.title] = title
      article[Article.schema.edits] = 3
      article[Article.schema.imported] = Date(timeIntervalSince1970: 0)
      return ArticleLine(article, number: ArticleNumber(7), nil).text(columns: columns)
    }
  }

  @Test(arguments: ["short", String(repeating: "long ", count: 40), "東京で桜が開花し東京で桜が開花し東京で桜が開花し"])
  func `the line of an edited article states the edits and fits`(title: String) async throws {
    for columns in [76, 80, 120] {
      let line = try await line(title, columns: columns).dropLast()
      #expect(line.contains("  edited 3x"))
      #expect(DisplayWidth.columns(of: String(line)) == columns)
    }
    #expect(try await line(title, columns: nil).contains("\(title)  edited 3x  "))
  }

  @Test(arguments: [(nil, 42), (120, 42), (100, 42), (80, 38), (60, 32), (50, 20)] as [(Int?, Int)])
  func `the feed takes at most a fifth of the line`(columns: Int?, place: Int) async throws {
    let line = try await line("short", columns: columns)
    #expect(
      line.firstRange(of: "short").map { line.distance(from: line.startIndex, to: $0.lowerBound) } == place)
  }
}
