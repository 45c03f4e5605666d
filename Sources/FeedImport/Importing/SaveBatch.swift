import ManagedContext
import NewsModel

/// Saves for several feeds that a worker makes together: one query reads their feeds.
struct SaveBatch: ~Copyable {
  private static let largestCount = 32
  private static let largestPlainCount = 256
  private static let largestBytes = 2 << 20

  typealias Entry = (job: FeedJob, push: SavePush)

  /// The saves that are written together; see ``PlainAnswers``.
  private var plain: [Entry] = []
  private var others: [Entry] = []
  private var bytes = 0

  var isEmpty: Bool { plain.isEmpty && others.isEmpty }

  /// True if no more saves should be added.
  var isFull: Bool {
    plain.count >= Self.largestPlainCount || others.count >= Self.largestCount || bytes > Self.largestBytes
  }

  mutating func append(_ push: SavePush, of job: FeedJob) {
    if push.isPlain { plain.append((job, push)) } else { others.append((job, push)) }
    bytes += push.save.byteCount
  }

  mutating func takeAll() -> (plain: [Entry], others: [Entry]) {
    defer { (plain, others, bytes) = ([], [], 0) }
    return (plain, others)
  }
}

/// One save in a batch, as it is passed to the context.
struct SavePush: Sendable {
  enum Outcome: Sendable {
    case saved(SaveTicket)
    /// There was nothing to save.
    case nothing
    /// The feed was deleted.
    case removed
    /// Another run has saved an answer since the request was created, or is polling the feed. If a run was
    /// delayed for long, for example while the machine slept, its answer is out of date.
    case overtaken
  }

  let save: FeedJob.Save
  let request: FeedRequest
  /// The previous part's save.
  ///
  /// A response's parts are chained. If one were lost and the validators saved with a later one, the server
  /// would answer "not modified" to all later polls.
  private let earlier: SaveTicket?
  /// True if the feed's row is assumed to be unchanged since the request was created. If it has changed, the
  /// save is a conflict.
  let trustsRow: Bool

  /// - Parameter trustsRow: True if the feed's row may be assumed to be unchanged.
  init(_ save: FeedJob.Save, of job: FeedJob, trustsRow: Bool) {
    self.save = save
    request = job.request
    earlier = job.lastPart
    // Earlier parts have changed the row. Later parts would fail after a conflict in the first part.
    self.trustsRow = trustsRow && save.answer != nil && earlier == nil
  }

  /// True if the save can be written together with other feeds' saves; see ``PlainAnswers``.
  var isPlain: Bool {
    trustsRow && save.articles.isEmpty && save.about == nil && save.answer?.isPlain(request) == true
  }

  /// Pushes plain answers as one save.
  static func pushTogether(
    _ pushes: [SavePush], in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    defer { context.reset() }
    var answers = PlainAnswers()
    for push in pushes { if let answer = push.save.answer { answers.append(answer, of: push.request) } }
    return try answers.push(in: context)
  }

  /// Pushes each as its own save, so that a failed one does not affect the others.
  ///
  /// - Parameter claims: The run's claims if they may have expired; nil otherwise.
  static func push(
    _ pushes: [SavePush], in context: ManagedObjectContext, checking claims: Claims? = nil
  ) -> [Result<Outcome, StoreError>] {
    defer { context.reset() }
    do throws(StoreError) {
      let ids = pushes.filter { $0.changesFeed && !$0.trustsRow }.map(\.save.feed)
      let feeds = try ids.isEmpty ? [] : context.fetch(FetchRequest(Feed.self, where: .ids(ids)))
      // The context does not keep unreferenced objects.
      return withExtendedLifetime(feeds) {
        pushes.map { push in
          Result { () throws(StoreError) in try push.push(in: context, checking: claims) }.mapError { error in
            // Nothing from it may be saved with the next one.
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

  private func push(
    in context: ManagedObjectContext, checking claims: Claims?
  ) throws(StoreError) -> Outcome {
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
      if feed.fetches != request.fetches { return .overtaken }
      if let claims, try claims.isTaken(request, in: context) { return .overtaken }
      save.about?.apply(to: feed)
      save.answer?.apply(request, to: feed, in: context)
      try save.answer?.tombstones?.apply(to: save.feed, in: context)
    }
    for batch in save.articles { context.insert(batch) }
    return try context.push(after: earlier).map(Outcome.saved) ?? .nothing
  }
}
