import ManagedContext
import NewsModel

/// Saves of several feeds that a worker makes together: their feeds are read by one query.
struct SaveBatch: ~Copyable {
  private static let largestCount = 32
  private static let largestBytes = 2 << 20

  private var entries: [(save: FeedJob.Save, job: FeedJob)] = []
  private var bytes = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Whether no more should be added.
  var isFull: Bool { entries.count >= Self.largestCount || bytes > Self.largestBytes }

  mutating func append(_ save: FeedJob.Save, of job: FeedJob) {
    entries.append((save, job))
    bytes += save.articles.reduce(0) { $0 + $1.rows.byteCount }
  }

  mutating func takeAll() -> [(save: FeedJob.Save, job: FeedJob)] {
    defer { (entries, bytes) = ([], 0) }
    return entries
  }
}

/// One of them, as it is handed to the context.
struct SavePush: Sendable {
  /// What became of it.
  enum Outcome: Sendable {
    case saved(SaveTicket)
    /// There was nothing to save.
    case nothing
    /// The feed is no more.
    case removed
    /// Another run has taken the feed over, and has saved a newer answer of it.
    case overtaken
  }

  private let save: FeedJob.Save
  private let request: FeedRequest
  /// The save of the part before.
  ///
  /// The parts of a response are chained: were one lost and the validators saved with a later one, the server
  /// would say "not modified" for ever after.
  private let earlier: SaveTicket?
  /// Whether the feed's row is taken to be as it was when the request was made: the save is a conflict where it is not.
  let trustsRow: Bool

  /// - Parameter trustsRow: Whether the feed's row may be what it was when the request was made.
  init(_ save: FeedJob.Save, of job: FeedJob, trustsRow: Bool) {
    self.save = save
    request = job.request
    earlier = job.lastPart
    // The parts before have changed the row, and the parts after would fail with a first one that is a conflict.
    self.trustsRow = trustsRow && save.answer != nil && earlier == nil
  }

  /// Pushes each as a save of its own, so that one that fails fails alone.
  static func push(
    _ pushes: [SavePush], in context: ManagedObjectContext
  ) -> [Result<Outcome, StoreError>] {
    defer { context.reset() }
    do throws(StoreError) {
      let ids = pushes.filter { $0.changesFeed && !$0.trustsRow }.map(\.save.feed)
      let feeds = try ids.isEmpty ? [] : context.fetch(FetchRequest(Feed.self, where: .ids(ids)))
      // The context keeps no object that nobody holds.
      return withExtendedLifetime(feeds) {
        pushes.map { push in
          Result { () throws(StoreError) in try push.push(in: context) }.mapError { error in
            // Nothing of it may go with the next one.
            context.reset()
            return error
          }
        }
      }
    } catch {
      return pushes.map { _ in .failure(error) }
    }
  }

  private var changesFeed: Bool { save.about != nil || save.answer != nil }

  private func push(in context: ManagedObjectContext) throws(StoreError) -> Outcome {
    let policy = context.mergePolicy
    defer { context.mergePolicy = policy }
    if changesFeed {
      let feed: Feed
      if trustsRow, let known = request.knownFeed(in: context) {
        context.mergePolicy = .error
        feed = known
      } else {
        do throws(StoreError) {
          feed = try context.existingObject(Feed.self, with: save.feed)
        } catch .notFound {
          return .removed
        }
      }
      guard !isOvertaken(feed) else { return .overtaken }
      save.about?.apply(to: feed)
      save.answer?.apply(request, to: feed, in: context)
      try save.answer?.tombstones?.apply(in: context)
    }
    for batch in save.articles { context.insert(batch) }
    return try context.push(after: earlier).map(Outcome.saved) ?? .nothing
  }

  /// Whether the claim under which the feed was asked for was lost, and whoever has got it has an answer already: that of
  /// a run that was held up for long, such as by a machine that slept, would bring back what is old.
  private func isOvertaken(_ feed: Feed) -> Bool {
    request.claim != nil && feed.claim != request.claim && feed.fetches > request.fetches
  }
}
