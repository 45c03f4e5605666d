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
  private let save: FeedJob.Save
  private let request: FeedRequest
  /// The save of the part before.
  ///
  /// The parts of a response are chained: were one lost and the validators saved with a later one, the server
  /// would say "not modified" for ever after.
  private let earlier: SaveTicket?

  init(_ save: FeedJob.Save, of job: FeedJob) {
    self.save = save
    request = job.request
    earlier = job.lastPart
  }

  /// Pushes each as a save of its own, so that one that fails fails alone.
  ///
  /// - Returns: For each its ticket; nil where there was nothing to save.
  static func push(
    _ pushes: [SavePush], in context: ManagedObjectContext
  ) -> [Result<SaveTicket?, StoreError>] {
    defer { context.reset() }
    do throws(StoreError) {
      let ids = pushes.filter(\.changesFeed).map(\.save.feed)
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

  private func push(in context: ManagedObjectContext) throws(StoreError) -> SaveTicket? {
    for batch in save.articles { context.insert(batch) }
    try save.about?.apply(to: save.feed, in: context)
    try save.answer?.apply(request, in: context)
    return try context.push(after: earlier)
  }
}
