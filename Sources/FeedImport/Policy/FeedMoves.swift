public import Foundation
public import ManagedContext
public import NewsModel
public import WebAddress

/// Changes the addresses of moved feeds once the new addresses have proved reliable.
///
/// A permanent redirect is followed at once and recorded. Servers also send them by mistake, so the feed
/// keeps its own address until the new one has answered several times.
public enum FeedMoves {
  /// A feed with a new address.
  public struct Move: Sendable, Equatable {
    /// The former address.
    public let from: WebAddress
    /// The new address.
    public let to: WebAddress
    /// True if a feed with that address existed, and the two were merged.
    public let isMerged: Bool
    /// The number of deleted articles that the feed at ``to`` has with other content; 0 without a merge.
    ///
    /// It counts only deletions by this call, not by an earlier call that was killed.
    public internal(set) var lostArticles = 0
  }

  /// The number of successful answers that prove the new address.
  static let neededFetches = 3
  /// The minimum time from the first redirect, in seconds: 2 days.
  static let neededTime: TimeInterval = 2 * 86400

  /// Returns whether a feed's new address has proved reliable.
  public static func isProven(_ feed: Feed, at now: Date) -> Bool {
    guard feed.movedTo != nil, let since = feed.movedSince else { return false }
    return (feed.goodFetchesOfTarget ?? 0) >= neededFetches && now.timeIntervalSince(since) >= neededTime
  }

  /// Changes the addresses of feeds that have moved.
  ///
  /// Articles, regions and validators stay. If another feed has the new address, the two feeds are merged,
  /// and an article that both have is kept once. If the call is killed, the next call continues: the old feed
  /// is deleted last.
  ///
  /// - Parameters:
  ///   - feeds: Feeds that have moved. Other feeds are not changed, nor are feeds that only the user may
  ///     move.
  ///   - deletion: Deletes the articles that both feeds have.
  public static func settle(
    _ feeds: [ManagedObjectID], by deletion: ArticleDeletion
  ) async throws(StoreError) -> [Move] {
    var moves: [Move] = []
    for feed in feeds {
      let move = try await run(deletion) { (context, replaced) throws(StoreError) in
        try step(feed, &replaced, in: context)
      }
      if let move { moves.append(move) }
    }
    return moves
  }

  /// Changes a feed's address at the user's request. It works like ``settle(_:by:)``, but the target of an
  /// earlier move, validators and failures are removed.
  ///
  /// - Returns: Nil if the feed was deleted, or has this address.
  public static func rename(
    _ feed: ManagedObjectID, to url: WebAddress, by deletion: ArticleDeletion
  ) async throws(StoreError) -> Move? {
    try await run(deletion) { (context, replaced) throws(StoreError) in
      guard let old = try context.fetch(FetchRequest(Feed.self, where: .ids([feed]))).first, old.url != url
      else { return nil }
      let step = try self.step(old, to: url, &replaced, in: context)
      if case .done(let move) = step, !move.isMerged { old.forgetServer(unlessAt: move.from) }
      return step
    }
  }

  /// Saves step by step until a move is complete, or until nothing is left to do.
  private static func run(
    _ deletion: ArticleDeletion,
    _ step: @Sendable (ManagedObjectContext, inout ArticleDeletion.Replaced) throws(StoreError) -> Step?
  ) async throws(StoreError) -> Move? {
    var lost = 0
    while true {
      switch try await deletion.replacing(step) {
      case nil: return nil
      case .articles(let deleted): lost += deleted
      case .done(var move):
        move.lostArticles = lost
        return move
      }
    }
  }

  private enum Step: Sendable {
    /// Some articles have moved, and more follow. `lost` counts deleted articles that the other feed has with
    /// other content.
    case articles(lost: Int)
    case done(Move)
  }

  /// The number of articles that change their feed in one save.
  static let page = 500

  /// Makes one save in a move; nil if nothing is left to do.
  private static func step(
    _ id: ManagedObjectID, _ replaced: inout ArticleDeletion.Replaced, in context: ManagedObjectContext
  ) throws(StoreError) -> Step? {
    guard let old = try context.fetch(FetchRequest(Feed.self, where: .ids([id]))).first,
      let target = old.movedTo?.withUser(of: old.url), mayMove(old, to: target)
    else { return nil }
    return try step(old, to: target, &replaced, in: context)
  }

  private static func step(
    _ old: Feed, to target: WebAddress, _ replaced: inout ArticleDeletion.Replaced,
    in context: ManagedObjectContext
  ) throws(StoreError) -> Step {
    let move = Move(from: old.url, to: target, isMerged: true)
    guard let other = try context.fetch(FetchRequest(Feed.self, where: \.url == target)).first else {
      try note(old.url, as: old, at: target, in: context)
      old.url = target
      old.movedTo = nil
      old.movedSince = nil
      old.goodFetchesOfTarget = nil
      return .done(Move(from: move.from, to: target, isMerged: false))
    }
    if let lost = try moveArticles(of: old, to: other, &replaced, in: context) {
      return .articles(lost: lost)
    }
    // A pause stays in force.
    if let date = old.notBefore, date > other.notBefore ?? .distantPast {
      other.notBefore = date
      other.pausedURL = old.pausedURL
    }
    // The address has proved reliable, or the user has chosen it.
    if other.isGone410 { other.pollAgain() }
    for region in old.regions { other.add(region, to: Feed.schema.regions) }
    for address in old.formerAddresses { address.feed = other.id }
    try note(old.url, as: other, at: target, in: context)
    try moveTombstones(of: old, to: other, in: context)
    context.delete(old)
    return .done(move)
  }

  /// False if only the user may follow the move, or if the feed's address has a user and the move leads to
  /// another host.
  private static func mayMove(_ feed: Feed, to target: WebAddress) -> Bool {
    !feed.isMoveForeign && (!feed.url.hasUser || feed.url.hasSameOrigin(as: target))
  }

  /// Records that a feed was at `url`, which it leaves, and removes former addresses that are used again.
  private static func note(
    _ url: WebAddress, as feed: Feed, at target: WebAddress, in context: ManagedObjectContext
  ) throws(StoreError) {
    let places = [url, target, feed.movedTo].compactMap(\.self)
    let known = try context.fetch(FetchRequest(FormerAddress.self, where: .among(\.url, places)))
    for address in known where address.url != url { context.delete(address) }
    let address = known.first { $0.url == url } ?? context.insert(FormerAddress.self)
    address.url = url
    address.feed = feed.id
  }

  /// Moves one page of articles. Returns how many deleted articles the other feed has with other content; nil
  /// if no articles were left.
  private static func moveArticles(
    of old: Feed, to other: Feed, _ replaced: inout ArticleDeletion.Replaced,
    in context: ManagedObjectContext
  ) throws(StoreError) -> Int? {
    let articles = try context.fetch(FetchRequest(Article.self, where: \.feed == old.id, limit: page))
    if articles.isEmpty { return nil }
    let merge = try ArticleMerge(of: articles.map(MergedArticle.init), from: old, into: other, in: context)
    var kept: [ManagedObjectID: ManagedObjectID] = [:]
    var copies: [ManagedObjectID] = []
    for article in articles {
      switch merge.outcome(of: article.id) {
      case .copy(let copy, _): kept[article.id] = copy
      case .edited(let copy, _, _):
        kept[copy] = article.id
        copies.append(copy)
      case .other, .new: break
      }
    }
    try passMarks(kept, in: context)
    try passHookFailures(kept, in: context)
    if !copies.isEmpty {
      for copy in try context.fetch(FetchRequest(Article.self, where: .ids(copies))) {
        if let heir = kept[copy.id] { replaced.delete(copy, for: heir, in: context) }
      }
    }
    var lost = 0
    for article in articles {
      switch merge.outcome(of: article.id) {
      case .copy(let copy, let isSame):
        if !isSame { lost += 1 }
        replaced.delete(article, for: copy, in: context)
      case .edited(_, let guid, let isSame):
        // The next fetch gets what the feed states now.
        if !isSame { other.forgetValidators() }
        article.guid = guid
        article.feed = other.id
      case .other(let guid):
        article.guid = guid
        article.feed = other.id
      case .new: article.feed = other.id
      }
    }
    return lost
  }
}

extension Feed {
  /// Removes the values that another server stated. The pause for `url`'s server stays if the server is the
  /// same.
  fileprivate func forgetServer(unlessAt url: WebAddress) {
    self.etag = nil
    self.lastModified = nil
    self.validatorsURL = nil
    if !self.url.hasSameOrigin(as: url) {
      self.notBefore = nil
      self.pausedURL = nil
    }
    pollAgain()
  }
}
