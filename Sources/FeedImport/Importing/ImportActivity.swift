public import Foundation
import ManagedContext
import NewsModel
import Threading
public import WebAddress

/// An import's progress: the polls that were started, and the polls that have ended.
///
/// Any thread may read it at any time. The importer updates it on its own threads.
public final class ImportActivity: Sendable {
  /// The feed counts.
  public struct Counts: Sendable, Equatable {
    /// The feeds that the run polls.
    public var total = 0
    /// The feeds that have been polled, or are being polled.
    public var started = 0
    /// The feeds with saved results, and feeds without a result to save.
    public var finished = 0
    /// The feeds that failed, among the finished ones.
    public var failed = 0

    /// No feeds.
    public init() {}
  }

  /// A transfer in progress.
  public struct Transfer: Sendable {
    /// The address that is polled.
    public let address: WebAddress
    /// The time of the request.
    public let began: Date
  }

  private struct State: Sendable {
    var counts = Counts()
    var transfers: [ManagedObjectID: Transfer] = [:]
    var site: String?
    var waitsForOthers = false
  }

  /// Called when an import begins to poll its feeds, on the main queue.
  @MainActor public var didBegin: (@MainActor @Sendable () -> Void)?
  private let state = Locked(State())

  init() {}

  /// The feed counts so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// The oldest running transfer; nil if none is running.
  public var slowest: Transfer? {
    state.withLock { $0.transfers.values.min { $0.began < $1.began } }
  }

  /// The scheme and host that all feeds share (`WebAddress.site`); nil if they differ.
  public var commonSite: String? { state.withLock { $0.site } }

  /// True while the run waits for publishers that other runs hold.
  public var waitsForOthers: Bool { state.withLock { $0.waitsForOthers } }

  func noteWait(_ isWaiting: Bool) { state.withLock { $0.waitsForOthers = isWaiting } }

  /// Begins an import with a feed count, and the scheme and host if all feeds share them.
  @MainActor
  func begin(_ count: Int, at site: String?) {
    state.withLock { state in
      state.counts.total += count
      state.site = site
    }
    didBegin?()
  }

  /// Counts feeds that are not polled, because another run polls them, or because of a pause.
  func leaveOut(_ count: Int) { state.withLock { $0.counts.total -= count } }

  func start(_ feed: ManagedObjectID, _ transfer: Transfer) {
    state.withLock { state in
      state.counts.started += 1
      state.transfers[feed] = transfer
    }
  }

  func endTransfer(of feed: ManagedObjectID) {
    state.withLock { $0.transfers[feed] = nil }
  }

  func finish(failed: Bool) {
    state.withLock { state in
      state.counts.finished += 1
      if failed { state.counts.failed += 1 }
    }
  }
}
