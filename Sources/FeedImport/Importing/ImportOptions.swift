public import Foundation
import ManagedContext

/// Settings of a run of ``FeedImporter``.
public struct ImportOptions: Sendable {
  /// The maximum number of simultaneous transfers, 1 to 1024.
  public var jobs = 64
  /// The maximum number of simultaneous transfers to one host.
  public var perHost = 4
  /// The number of threads that parse; each has its own worker context.
  public var workers = 2
  /// The niceness of the workers' threads, 0 to 19. The writer, the transfers and the main queue have
  /// priority, because all workers wait for the writer in the end.
  public var niceness: Int32 = 10
  /// The maximum duration of a transfer, in seconds.
  public var timeout: Double = 60
  /// The maximum time to connect, in seconds.
  public var connectTimeout: Double = 10
  /// The maximum time in which a transfer may receive less than 100 bytes a second, in seconds.
  public var silenceTimeout: Double = 20
  /// True to refuse addresses of private networks and of this machine, also after redirects.
  public var publicOnly = false
  /// The maximum size of a body after decoding, in bytes.
  public var maxBody = 32 << 20
  /// The maximum size of the articles of a response that become visible at once, in bytes. A larger response becomes
  /// visible in parts of whole articles.
  ///
  /// It is equal to the maximum size of a body, so that an endless body leaves nothing when it is cancelled at its
  /// limit.
  public var atomicBytes = usualAtomicBytes
  /// The maximum number of new and edited articles in a response that may not exceed ``atomicBytes``. A response with
  /// more fails, and nothing of it is saved: so many are tiny, and need more memory than they are worth.
  public var atomicArticles = 250_000
  /// The approximate maximum memory of responses that are not saved yet, in bytes. Above it, one large response continues,
  /// and those that use no more than their share.
  public var heldBytes = 24 << 20
  /// True to prepare a store without articles for a first import, which then takes less time. Reads may wait for
  /// commits meanwhile (``PersistentStore/beginBulkLoad()``). For a program with no other work on its main queue.
  public var loadsInBulk = false
  /// The minimum number of feeds for that preparation. It saves more than a tenth of the CPU time of a first import,
  /// at a price: a process that is killed during a commit leaves a journal that only a writer can roll back, and until
  /// then the store cannot be read.
  public var leastBulkFeeds = usualBulkFeeds
  /// The minimum size of documents for that preparation, in bytes.
  public var leastBulkBytes = 8 << 20
  /// The number of transfers for which a run claims publishers first; nil for ``jobs``. It claims further ones after its
  /// first answer, as long as fewer than a quarter more than ``jobs`` transfers could run, and more of them at a time while it
  /// polls them quickly. Runs at the same time share the feeds in such parts.
  public var window: Int?
  /// The longest time for which a run waits for its first answer before it claims further publishers: others that begin at the same
  /// time claim theirs meanwhile.
  var firstWait = Duration.milliseconds(150)
  /// The largest number of feeds that a run claims together.
  static let largestPart = 2048
  /// The number of feeds with unsaved answers above which a run starts no others: those of silent hosts end at once.
  public var mostUnsaved = 8192
  /// The time to wait for publishers that other runs hold, before their feeds are reported as being polled by another run.
  public var patience: Duration = .zero
  /// The number of unreachable feeds after which a run that has reached no server tries a few publishers at the end of its queue. If
  /// these cannot be reached either, it polls no further feeds.
  public var mostUnreachable = 4096
  /// Waits for a while, or until the task is cancelled.
  public var wait: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  /// The time since the last run that polled feeds, in seconds; nil if it is unknown.
  public var runInterval: TimeInterval?
  /// The schedule of polls.
  public var schedule = Schedule()
  /// The clock: the store's, once an importer has the options.
  var now: @Sendable () -> Date = { Date() }
  /// Returns a number from 0 to 1, for the jitter of the schedule.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }
  /// What hooks have not handled yet of articles that a merge of moved feeds deletes. Without it, no feed gets the address to which it
  /// has moved.
  public var waiting: (any WaitingArticles)?
  /// The User-Agent of requests.
  public var userAgent: String

  /// Returns the options with the clock of a store, which decides about claims and due dates.
  func with(clockOf root: RootContext) -> ImportOptions {
    var options = self
    options.now = { root.now() }
    return options
  }

  /// The default of ``atomicBytes``, which tests of the whole command lower.
  @TaskLocal package static var usualAtomicBytes = 32 << 20
  /// The default of ``leastBulkFeeds``, which tests of whole commands lower.
  @TaskLocal package static var usualBulkFeeds = 200

  /// The ``patience`` of a run by hand, which tests of whole commands lower.
  @TaskLocal package static var usualPatience: Duration = .seconds(60)

  /// The recommended settings.
  public init(userAgent: String) {
    self.userAgent = userAgent
  }
}
