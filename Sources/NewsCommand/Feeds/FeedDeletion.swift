import FeedImport
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput
import WebAddress

/// Deletes feeds with their articles.
@MainActor
struct FeedDeletion {
  /// A feed to delete, with the number of its articles.
  struct Loss {
    let id: ManagedObjectID
    let address: String
    let articles: Int
    let starred: Int
    /// The feed's region names.
    let regions: [String]
  }

  private let losses: [Loss]

  /// Counts the articles that are deleted with the feeds.
  init(_ feeds: [Feed], in stack: NewsStack) throws {
    losses = try stack.reading {
      let regions = try stack.source.regionNames(of: feeds.map(\.id))
      let starred = try stack.source.starredCounts(of: feeds.map(\.id))
      return try feeds.map { feed in
        Loss(
          id: feed.id, address: feed.url.description,
          articles: try stack.source.articleCount(of: feed), starred: starred[feed.id] ?? 0,
          regions: regions[feed.id] ?? [])
      }
    }
  }

  /// The largest number of feeds that are listed before the question.
  private static let mostListed = 20

  /// Returns whether the user confirms the deletion; several feeds are listed first.
  ///
  /// - Throws: ``CommandFailure`` with status 64 if no person can answer.
  func isConfirmed(isGiven: Bool) throws -> Bool {
    if !isGiven, losses.count > 1, Question.isPossible { Output.error.print(list) }
    return try Question.isConfirmed("remove \(text)\(places)", isGiven: isGiven)
  }

  /// Divides the feeds into parts, in order. Each part is deleted in one transaction, unless it is a single
  /// feed with many articles.
  static func parts(of losses: [Loss]) -> [ArraySlice<Loss>] {
    var parts: [ArraySlice<Loss>] = []
    var (start, articles) = (0, 0)
    for (place, loss) in losses.enumerated() {
      if place > start,
        articles + loss.articles >= FeedRemoval.mostArticles || place - start == FeedRemoval.mostFeeds
      {
        parts.append(losses[start..<place])
        (start, articles) = (place, 0)
      }
      articles += loss.articles
    }
    return parts + (start < losses.count ? [losses[start...]] : [])
  }

  /// Deletes the feeds, one part after the other.
  ///
  /// The next hook run reports how many deleted articles had waited for it.
  ///
  /// - Parameters:
  ///   - load: Reads the configuration.
  /// - Throws: ``CommandFailure`` from the store. The feeds before the failure are deleted.
  func run(in stack: NewsStack, _ load: () throws -> LoadedConfiguration) async throws {
    let deletion = ArticleDeletion(
      in: stack.root, name: "remove", sparing: try HookBacklog(of: stack) { try load() })
    for part in Self.parts(of: losses) {
      do throws(StoreError) {
        try await FeedRemoval.remove(part.map(\.id), by: deletion)
      } catch {
        let rest = losses.count - part.startIndex - 1
        let others =
          rest > 0 ? ", nor \(rest == 1 ? "the feed" : "the \(counted(rest, "feed"))") after it" : ""
        if losses.count > 1 { Output.error.warn("\(part[part.startIndex].address): not removed\(others)") }
        throw CommandFailure(error, store: stack.location)
      }
      for loss in part { Output.standard.print("removed  \(Self.text(loss.address, [loss]))\n") }
    }
  }

  /// Describes the deletion: "2 feeds and their 31 articles, 2 of them starred".
  private var text: String {
    Self.text(losses.count == 1 ? losses[0].address : counted(losses.count, "feed"), losses)
  }

  private static func text(_ feeds: String, _ losses: [Loss]) -> String {
    let starred = losses.reduce(0) { $0 + $1.starred }
    return "\(feeds) and \(losses.count == 1 ? "its" : "their") "
      + counted(losses.reduce(0) { $0 + $1.articles }, "article")
      + (starred > 0 ? ", \(grouped(starred)) of them starred" : "")
  }

  private var places: String {
    let regions = distinct(losses.flatMap(\.regions))
    guard !regions.isEmpty else { return "" }
    let names = regions.prefix(5).map { printable($0) }.joined(separator: ", ")
    return ", of \(regions.count == 1 ? "region" : "regions") \(names)\(regions.count > 5 ? ", …" : "")"
  }

  /// A line for each feed, up to a number.
  private var list: String {
    let shown = losses.prefix(Self.mostListed)
    let numbers = countedColumn(shown.map(\.articles), "article")
    let rest = losses.count - shown.count
    return aligned(zip(shown, numbers).map { ["  " + $0.address, $1] })
      + (rest > 0 ? "  and \(counted(rest, "more feed"))\n" : "")
  }
}
