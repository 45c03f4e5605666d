public import Foundation
import ManagedContext

/// Settings for a ``FeedImporter`` run.
public struct ImportOptions: Sendable {
  /// The maximum number of simultaneous transfers, 1 to 1024.
  public var jobs = 64
  /// The maximum number of simultaneous transfers to one host.
  public var perHost = 4
  /// The time in which a host's feeds should be polled with the connections that it has. A host whose answers
  /// take longer gets another one, up to ``perHost``.
  public var hostPatience = Duration.milliseconds(500)
  /// The number of parsing threads; each has its own worker context.
  public var workers = 2
  /// The niceness of the workers' threads, 0 to 19. The writer, the transfers and the main queue have
  /// priority, because in the end all workers wait for the writer.
  public var niceness: Int32 = 10
  /// The maximum duration of a transfer, in seconds.
  public var timeout: Double = 60
  /// The maximum time to connect, in seconds.
  public var connectTimeout: Double = 10
  /// The maximum time in which a transfer may receive less than 100 bytes a second, in seconds.
  public var silenceTimeout: Double = 20
  /// True to refuse private networks' and this machine's addresses, also after redirects.
  public var publicOnly = false
  /// The maximum body size after decoding, in bytes.
  public var maxBody = 32 << 20
  /// The maximum size of a response's articles that become visible at once, in bytes. A larger response
  /// becomes visible in parts with whole articles.
  ///
  /// It equals the maximum body size, so that an endless body leaves nothing when cancelled at its limit.
  public var atomicBytes = usualAtomicBytes
  /// The maximum number of new and edited articles in a response that may not exceed ``atomicBytes``. A
  /// response with more fails, and nothing is saved: so many are tiny, and need more memory than they are
  /// worth.
  public var atomicArticles = 250_000
  /// The approximate maximum memory for unsaved responses, in bytes. Responses that would need more wait with
  /// their first bytes.
  public var heldBytes = 28 << 20
  /// How often responses are examined while others wait for memory. One that hardly grew keeps none from them.
  public var stallInterval = Duration.seconds(1)
  /// True to prepare a store without articles for a faster first import. Reads may wait for commits then
  /// (``PersistentStore/beginBulkLoad()``). For a program with no other work on its main queue.
  public var loadsInBulk = false
  /// The minimum feed count for that preparation. It saves more than a tenth of a first import's CPU time, at
  /// a price: a process that is killed during a commit leaves a journal that only a writer can roll back.
  /// Until then the store cannot be read.
  public var leastBulkFeeds = usualBulkFeeds
  /// The minimum document size for that preparation, in bytes.
  public var leastBulkBytes = 8 << 20
  /// The number of transfers in the first part of publishers that a run claims; nil for ``jobs``. After its
  /// first answer it claims more while fewer than 1.25 times ``jobs`` transfers could run, and larger parts
  /// while it polls quickly. Simultaneous runs share the feeds in such parts.
  public var window: Int?
  /// The longest wait for the first answer before a run claims more publishers. In that time, other runs that
  /// begin simultaneously claim theirs.
  var firstWait = Duration.milliseconds(150)
  /// The maximum number of feeds that a run claims together.
  static let largestPart = 2048
  /// The number of unsaved feeds above which a run starts no more: silent hosts' feeds end at once.
  public var mostUnsaved = 8192
  /// The time to wait for other runs' publishers, before their feeds are reported as polled by another run.
  public var patience: Duration = .zero
  /// The number of unreachable feeds after which a run that has reached no server tries a few publishers at
  /// the end of its queue. If they cannot be reached either, it polls no more feeds.
  public var mostUnreachable = 4096
  /// Waits for a while, or until the task is cancelled.
  public var wait: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  /// The time since the last run that polled feeds, in seconds; nil if unknown.
  public var runInterval: TimeInterval?
  /// The polling schedule.
  public var schedule = Schedule()
  /// The clock: the store's, once an importer has the options.
  var now: @Sendable () -> Date = { Date() }
  /// Returns a number from 0 to 1, for the schedule's jitter.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }
  /// The unhandled hook events for articles that a merge of moved feeds deletes. Without it, no feed takes
  /// the address that it has moved to.
  public var waiting: (any WaitingArticles)?
  /// The User-Agent for requests.
  public var userAgent: String

  /// Returns the options with a store's clock, which decides about claims and due dates.
  func with(clockOf root: RootContext) -> ImportOptions {
    var options = self
    options.now = { root.now() }
    return options
  }

  /// The default for ``atomicBytes``, which tests of whole commands lower.
  @TaskLocal package static var usualAtomicBytes = 32 << 20
  /// The default for ``leastBulkFeeds``, which tests of whole commands lower.
  @TaskLocal package static var usualBulkFeeds = 200

  /// The ``patience`` for a run by hand, which tests of whole commands lower.
  @TaskLocal package static var usualPatience: Duration = .seconds(60)

  /// The recommended settings.
  public init(userAgent: String) {
    self.userAgent = userAgent
  }
}
