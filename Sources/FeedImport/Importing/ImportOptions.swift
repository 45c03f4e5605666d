public import Foundation
import ManagedContext

/// Settings of a run of ``FeedImporter``.
public struct ImportOptions: Sendable {
  /// Transfers at once, 1 to 1024.
  public var jobs = 64
  /// Transfers at once to one host.
  public var perHost = 4
  /// Threads that parse; each has a worker context of its own.
  public var workers = 2
  /// The niceness of the workers' threads, 0 to 19. The writer, for which all of them wait in the end, the transfers and
  /// the main queue come first.
  public var niceness: Int32 = 10
  /// A transfer may take so long in all, in seconds.
  public var timeout: Double = 60
  /// Connecting may take so long, in seconds.
  public var connectTimeout: Double = 10
  /// A transfer may bring nothing, or less than 100 bytes a second, for so long, in seconds.
  public var silenceTimeout: Double = 20
  /// Whether addresses of private networks and of this machine are refused, also after a redirect.
  public var publicOnly = false
  /// Bytes of one body after decoding.
  public var maxBody = 32 << 20
  /// A response up to so many bytes of articles becomes visible at once; a larger one in parts of whole articles.
  ///
  /// As much as a body may have: one that is given up at that limit, being endless, leaves nothing behind.
  public var atomicBytes = 32 << 20
  /// A response that may not be larger than ``atomicBytes`` may have so many new and edited articles; one with more, which
  /// are tiny then and need more memory than they are worth, fails, and nothing of it is saved.
  public var atomicArticles = 250_000
  /// About how much memory the articles of unfinished responses may take together, in bytes; while it is more, only
  /// the largest response of each worker goes on.
  public var heldBytes = 96 << 20
  /// Whether a store without articles is prepared for many of them, so that its first import takes less time: reads may
  /// wait for commits meanwhile (``PersistentStore/beginBulkLoad()``). For a program whose main queue does nothing else.
  public var loadsInBulk = false
  /// The least number of feeds for that preparation. It saves more than a tenth of the processor time of a first import, at
  /// a price: a process killed during a commit leaves a journal that only a writer can roll back, and until then nobody can
  /// read the store.
  public var leastBulkFeeds = 200
  /// When feeds are asked again.
  public var schedule = Schedule()
  /// The clock.
  public var now: @Sendable () -> Date = { Date() }
  /// A number from 0 to 1, for the jitter of the schedule.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }
  /// The User-Agent that servers see.
  public var userAgent: String

  /// The recommended settings.
  public init(userAgent: String) {
    self.userAgent = userAgent
  }
}
