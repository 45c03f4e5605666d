import Foundation
import Testing

/// The source that the macro writes, without regard to spaces.
@Suite struct ExpansionTests {
  private let source = """
    import Foundation; import ManagedContext
    import ManagedContextMacros

    @Entity(unique: [["feed", "guid"]], history: HistoryOptions(), renamedFrom: "item", "post")
    public final class Article: ManagedObject {
      @Relationship("feed_id", inverse: "articles", renamedFrom: "source") public private(set) var feed: Feed?
      public var guid: String
      private var edits = 0
      @Attribute(as: .secondsSince1970, renamedFrom: "date") var changed: Date?
    }

    @Entity("feed")
    final class Feed: ManagedObject {
      @Relationship(onDelete: .cascade) var articles: [Article]
    }
    """

  @Test func `a class becomes an entity`() throws {
    try expectExpansion(
      #"""
      public override class var entityName: String { "Article" }

      public struct Schema: Sendable {
        #sourceLocation(file: "Snippet.swift", line: 6)
        public let feed = ManagedContext.ToOne<Feed>("feed_id", inverse: \.articles, renamedFrom: "source")
        #sourceLocation()
        #sourceLocation(file: "Snippet.swift", line: 7)
        public let guid = ManagedContext.Attribute<String>("guid")
        #sourceLocation()
        #sourceLocation(file: "Snippet.swift", line: 8)
        fileprivate let edits = ManagedContext.Attribute<Int>("edits", default: 0)
        #sourceLocation()
        #sourceLocation(file: "Snippet.swift", line: 9)
        let changed = ManagedContext.Attribute<Date?>("changed", as: .secondsSince1970, renamedFrom: "date")
        #sourceLocation()
      }

      public static let entity: ManagedContext.EntityDeclaration<Schema> =
        ManagedContext.EntityDeclaration(Article.self, Schema(), unique: { [[$0.feed, $0.guid]] },
          history: { _ in HistoryOptions() }, renamedFrom: "item", "post")
      """#)
    try expectExpansion("extension Article: ManagedContext.Entity { }")
  }

  @Test func `properties read and write the object's values`() throws {
    try expectExpansion(
      #"""
      get { return self[stored: Article.schema.guid] }
      set {
        if isFault, isProbed(at: \Article.guid, column: Article.schema.guid.index) { return }
        self[stored: Article.schema.guid] = newValue
      }
      """#)
    try expectExpansion(
      #"""
      get {
        if isFault, let probe = related(at: \Article.feed, column: Article.schema.feed.index) { return probe }
        return self[Article.schema.feed]
      }
      set {
        if isFault, isProbed(at: \Article.feed, column: Article.schema.feed.index) { return }
        self[Article.schema.feed] = newValue
      }
      """#)
    try expectExpansion(
      #"""
      get { return self[Feed.schema.articles] }
      set {
        if isFault, isProbed(at: \Feed.articles, toMany: Feed.schema.articles.index) { return }
        self[Feed.schema.articles] = newValue
      }
      """#)
  }

  private func expectExpansion(_ expected: String, location: SourceLocation = #_sourceLocation) throws {
    let (output, errors) = try Compiler.check(source, ["-Xfrontend", "-dump-macro-expansions"])
    let written = oneLine(output + errors).replacing(#/file: "[^"]*"/#, with: #"file: "Snippet.swift""#)
    let expected = oneLine(expected)
    #expect(written.contains(expected), sourceLocation: location)
  }

  private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
