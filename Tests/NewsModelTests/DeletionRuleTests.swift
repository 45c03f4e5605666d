import Foundation
import TestSupport
import Testing

/// Code that deletes articles without regard to hooks does not compile in this package, whose warnings are errors.
@Suite struct DeletionRuleTests {
  @Test(arguments: [
    ("context.delete(article)", true),
    ("try context.deleteAll(Article.self, where: .constant(true))", true),
    ("try context.deleteAll(Article.self)", true),
    ("try context.deleteAll(Article.self, of: [])", true),
    ("context.delete(feed); try context.deleteAll(Feed.self)", false),
  ])
  func `the compiler refuses to delete articles elsewhere`(statement: String, isRefused: Bool) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "snippet.swift",
      """
      import ManagedContext
      import NewsModel
      func delete(_ article: Article, _ feed: Feed, in context: ManagedObjectContext) throws { \(statement) }
      """.utf8)
    let result = try await Command.run(
      "swiftc",
      [
        "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", file,
      ] + Repository.imports)
    #expect((result.status != 0) == isRefused, "\(result.err)")
    #expect(result.err.contains("ArticleDeletion deletes articles") == isRefused)
  }
}
