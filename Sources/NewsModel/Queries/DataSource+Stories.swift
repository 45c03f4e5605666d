public import ManagedContext
import WebAddress
import Sequences

/// Stories: articles with the same ``Article/story`` and similar titles or texts in several feeds.
///
/// If a feed has the key twice, its articles are not copies; see ``StoryCopies``.
extension DataSource {
  /// Returns the copies of stories by their keys. Keys with a single article are left out.
  public func copies(ofStories keys: [Int64]) throws(StoreError) -> StoryCopies {
    var found = StoryCopies()
    guard !keys.isEmpty else { return found }
    let request = FetchRequest(Article.self, where: .among(\.story, Array(Set(keys))))
    let rows = try context.rows(of: request) { [$0.story, $0.feed] }
    var entries: [(story: Int64, row: Int)] = []
    entries.reserveCapacity(rows.count)
    for (place, row) in rows.enumerated() {
      if let story = row.story { entries.append((story, place)) }
    }
    entries.sort { ($0.story, $0.row) < ($1.story, $1.row) }
    var rest = entries[...]
    while let story = rest.first?.story {
      let same = rest.prefix { $0.story == story }
      rest = rest.dropFirst(same.count)
      // Most stories have a single article.
      guard same.count > 1 else { continue }
      let articles = same.map { ArticleCopy(article: rows[$0.row].id, feed: rows[$0.row].feed) }
      found.add(articles, of: story)
    }
    try found.divide { (copies) throws(StoreError) in
      try likeness(of: copies, [Article.schema.title.index])
    } texts: { (copies) throws(StoreError) in
      try likeness(
        of: copies,
        [Article.schema.title.index, Article.schema.summary.index, Article.schema.contentHTML.index])
    }
    return found
  }

  /// Reads what shows whether articles are copies.
  ///
  /// - Parameter columns: The title, and perhaps attributes with texts.
  private func likeness(
    of copies: [ArticleCopy], _ columns: [Int]
  ) throws(StoreError) -> [ManagedObjectID: StoryLikeness] {
    var found: [ManagedObjectID: StoryLikeness] = [:]
    for page in copies.map(\.article).chunks(of: columns.count > 1 ? Self.textPage : Self.storyPage) {
      let rows = try context.rows(FetchRequest(Article.self, where: .ids(page)), columns: columns)
      for row in 0..<rows.count {
        let texts = columns.indices.map { column -> String? in
          guard case .text(let text) = rows.value(row: row, column: column, model: context.model) else {
            return nil
          }
          return text
        }
        found[rows.id(row: row)] = StoryLikeness(title: texts[0], texts: texts.dropFirst().compactMap(\.self))
      }
    }
    return found
  }

  /// Returns the articles that are copies of the given ones, without these.
  func otherCopies(of articles: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID] {
    var others: Set<ManagedObjectID> = []
    for page in articles.chunks(of: Self.storyPage) {
      let marked = try context.fetchValues(FetchRequest(Article.self, where: .ids(page)), \.story, \.feed)
      let copies = try copies(ofStories: marked.compactMap(\.0))
      for (story, feed) in marked {
        others.formUnion(copies.copies(of: story, in: feed).map(\.article))
      }
    }
    return others.subtracting(articles).sorted { $0.key < $1.key }
  }

  /// Returns the number of the written store's newest article; 0 without articles.
  public func newestNumber() throws(StoreError) -> Int64 {
    let newest = FetchRequest(Article.self, sortedBy: [.newestFirst], limit: 1)
    return try context.fetchIDs(newest).first(where: isOwn)?.key ?? 0
  }

  /// Copies marks from stories to their newer copies, with the context's next save.
  ///
  /// - Parameter last: The number of the newest article that has its story's marks already.
  /// - Returns: How many marks were added.
  public func spreadMarks(toArticlesAfter last: Int64) throws(StoreError) -> Int {
    guard try hasMarks() else { return 0 }
    var count = 0
    var request = FetchRequest(Article.self, sortedBy: [.newestFirst], limit: Self.storyPage)
    while true {
      let rows = try context.rows(of: request) { [$0.story] }
      let new = rows.filter { $0.id.key > last }
      count += try spreadMarks(toCopiesOf: new.compactMap { $0.story }, after: last)
      guard new.count == Self.storyPage else { return count }
      request.offset += rows.count
    }
  }

  private func spreadMarks(toCopiesOf stories: [Int64], after last: Int64) throws(StoreError) -> Int {
    var marked: [ArticleMark: [ManagedObjectID]] = [:]
    let copies = try copies(ofStories: stories)
    let marks = try marks(of: copies.stories.joined().map(\.article))
    guard !marks.isEmpty else { return 0 }
    for story in copies.stories {
      let ofStory = story.reduce(into: Set<ArticleMark>()) { $0.formUnion(marks[$1.article] ?? []) }
      for copy in story where copy.article.key > last {
        for mark in ofStory.subtracting(marks[copy.article] ?? []) {
          marked[mark, default: []].append(copy.article)
        }
      }
    }
    for (mark, articles) in marked { set(mark, of: articles) }
    return marked.values.reduce(0) { $0 + $1.count }
  }

  private static let storyPage = 5000
  /// The largest group of articles whose texts are read together.
  private static let textPage = 16
}
