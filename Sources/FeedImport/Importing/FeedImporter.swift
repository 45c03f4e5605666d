import HTTPDownload
import Threading
public import ManagedContext
public import NewsModel
import Synchronization
public import WebAddress

/// Imports feeds: downloads many at once, parses them on worker contexts, and saves them through the root.
///
/// The main context receives each commit by did-save. Each poll's result is a ``FetchRecord`` in that commit.
public final class FeedImporter: Sendable {
  /// A feed with an answer that the store rejected. Nothing was saved, and the next run polls it again.
  public struct UnsavedFeed: Sendable {
    /// The ``Feed``.
    public let feed: ManagedObjectID
    /// The address that was polled.
    public let address: WebAddress
    /// The store's error.
    public let error: StoreError
  }

  /// The end of a run that was not stopped early.
  public struct End: Sendable {
    /// The feeds with answers that the store rejected, so that the log lacks these.
    public var unsaved: [UnsavedFeed] = []
    /// The feeds that were not polled because their servers rejected other requests, or did not answer them.
    public var notPolled = FeedNotes<PollPolicy.Refusal>()
    /// The feeds that were not polled to the end because another run may have claimed them.
    public var withheld: [ManagedObjectID] = []
    /// The feeds that were removed during their poll, with their addresses. Nothing was saved for them.
    public var removed: [ManagedObjectID: WebAddress] = [:]
    /// The feeds that another run has claimed and polled in the meantime, or that redirect to another run's
    /// publisher. This run's answers were not saved.
    public var overtaken: [ManagedObjectID] = []
    /// The feeds that failed because no server could be reached, or because of a setting on this machine,
    /// with the cause. Nothing was saved: no failure is counted, and the feeds stay due.
    public var unreachable: [ManagedObjectID: PollFailure] = [:]
    /// The probable reason for the failures in ``unreachable``; nil if unknown.
    public var outageCause: OutageCause?
    /// True if no server could be reached, so that the other feeds were not polled.
    public var isOffline = false
    /// True if any server has answered.
    public var isReached = false
  }

  /// The imports' progress.
  public let activity = ImportActivity()
  let root: RootContext
  let options: ImportOptions
  private let downloader = Locked<Downloader?>(nil)
  private let isStopped = Atomic(false)

  /// Creates an importer that saves through `root`.
  public init(root: RootContext, options: ImportOptions) {
    self.root = root
    self.options = options.with(clockOf: root)
  }

  /// Requests that a run reads together.
  public struct RequestPart: Sendable {
    /// The requests. Feeds with the same request are polled together.
    public var requests: [FeedRequest]
    /// The pauses that servers have requested from other runs since the last part.
    public var pauses = ServerPauses()

    /// Creates a part.
    public init(_ requests: [FeedRequest], pauses: ServerPauses = ServerPauses()) {
      (self.requests, self.pauses) = (requests, pauses)
    }
  }

  /// A run's requests, read while it runs: returns the next ones, or nil at the end. No feed appears twice.
  ///
  /// - Parameter isProbe: True for a few requests that show whether any server can be reached; see
  ///   ``ImportOptions/mostUnreachable``.
  public typealias RequestSource = @Sendable (_ isProbe: Bool) async throws(StoreError) -> RequestPart?

  /// Polls each feed once, and feeds with the same request together. Returns when the store has every answer.
  ///
  /// - Parameters:
  ///   - requests: The feeds, each at most once.
  ///   - pauses: The pauses that servers have requested; the run adds to them.
  ///   - claims: The feeds' claims; nil to poll without claims.
  ///   - countsUnreachable: True to count failures even if no server can be reached; see ``End/unreachable``.
  @discardableResult
  public func run(
    _ requests: [FeedRequest], pauses: ServerPauses = ServerPauses(), claims: Claims? = nil,
    countsUnreachable: Bool = false
  ) async throws(ImportFailure) -> End {
    let rest = Locked<[FeedRequest]?>(requests)
    return try await run(
      about: requests.count, pauses: pauses, claims: claims, countsUnreachable: countsUnreachable
    ) { _ in rest.withLock { $0.take() }.map { RequestPart($0) } }
  }

  /// Polls feeds, reading requests while the run has room. Returns when the store has every answer.
  ///
  /// A feed that fails does not stop the others.
  /// - Parameters:
  ///   - count: The feed count, if none is left out.
  ///   - pauses: The pauses that servers have requested; the run adds to them.
  ///   - claims: The feeds' claims; nil to poll without claims.
  ///   - countsUnreachable: True to count failures even if no server can be reached; see ``End/unreachable``.
  ///   - source: Returns the requests. It is not called again after the run was stopped or has failed.
  @discardableResult
  public func run(
    about count: Int, pauses: ServerPauses = ServerPauses(), claims: Claims? = nil,
    countsUnreachable: Bool = false, _ source: @escaping RequestSource
  ) async throws(ImportFailure) -> End {
    guard count > 0, !isStopping else { return End() }
    let contents = try ImportFailure.ofStore { () throws(StoreError) in try StoreContents(of: root) }
    let state = ImportRun.State(pauses: pauses, countsUnreachable: countsUnreachable)
    let isLarge = { [options] in count >= options.leastBulkFeeds }
    return try await contents.loading(into: root, options, if: isLarge) { () async throws(ImportFailure) in
      try await poll(source, count, state, claims, contents)
    }
  }

  private func poll(
    _ source: RequestSource, _ count: Int, _ state: ImportRun.State, _ claims: Claims?,
    _ contents: StoreContents
  ) async throws(ImportFailure) -> End {
    let room = AsyncGate()
    let downloader = try makeDownloader(runsLow: { room.open() })
    defer { downloader.shutdown() }
    let run = ImportRun(
      state, claims: claims, activity: activity, options: options, downloader: downloader, root: root,
      contents: contents)
    let workers = (0..<max(1, min(options.workers, count))).map {
      FeedWorker(parent: root, number: $0 + 1, run: run)
    }
    defer { self.downloader.withLock { $0 = nil } }
    do throws(StoreError) {
      await start(source, workers, of: run, downloader, room)
      var end = try await run.ended()
      let removed = try await removed(among: end.unsaved.map(\.feed))
      for feed in end.unsaved where removed.contains(feed.feed) { end.removed[feed.feed] = feed.address }
      end.unsaved.removeAll { removed.contains($0.feed) }
      if isStopping { end.unreachable = [:] }
      return end
    } catch {
      throw .store(error)
    }
  }

  /// Reads the requests and starts their transfers, until there are no more or the run must end.
  private func start(
    _ source: RequestSource, _ workers: [FeedWorker], of run: ImportRun, _ downloader: Downloader,
    _ room: AsyncGate
  ) async {
    var started = 0
    do throws(StoreError) {
      while !isStopping, !run.hasFailed, !run.isOffline {
        let isProbe = run.mustDecide
        guard let part = try await source(isProbe) else { break }
        let groups = Self.grouped(Self.ordered(run.add(part)))
        if !groups.isEmpty {
          room.close()
          downloader.start(transfers(groups, run, workers, after: started))
          let isFirst = started == 0
          started += groups.count
          // A stop during the start of transfers did not reach the later ones.
          if isStopping { downloader.cancelAll() }
          if isFirst { await run.firstAnswer() }
          await room.wait()
        }
        if isProbe { await run.decide() }
        await run.makeRoom()
      }
    } catch {
      run.fail(error)
    }
    run.addedAll()
  }

  /// Returns a transfer for each feed group, distributed over the workers.
  private func transfers(
    _ groups: [[FeedRequest]], _ run: ImportRun, _ workers: [FeedWorker], after started: Int
  ) -> [(request: DownloadRequest, sink: any DownloadSink)] {
    var limits = DownloadLimits()
    limits.totalTimeout = .seconds(options.timeout)
    limits.connectTimeout = .seconds(options.connectTimeout)
    limits.lowSpeedTime = .seconds(options.silenceTimeout)
    limits.maxBodyBytes = options.maxBody
    let now = options.now()
    return groups.enumerated().map { place, feeds in
      let sinks = feeds.indices.map {
        FeedTransfer(
          feeds[$0], run: run, workers: workers, usual: (started + place + $0) % workers.count)
      }
      return (
        DownloadRequest(feeds, limits: limits, at: now), sinks.count == 1 ? sinks[0] : SharedTransfer(sinks)
      )
    }
  }

  private func removed(among feeds: [ManagedObjectID]) async throws(StoreError) -> Set<ManagedObjectID> {
    guard !feeds.isEmpty else { return [] }
    let context = BackgroundContext(parent: root, name: "removed")
    let there = try await context.perform { (context) throws(StoreError) in
      Set(try context.fetchIDs(FetchRequest(Feed.self, where: .ids(feeds))))
    }
    return Set(feeds).subtracting(there)
  }

  /// True if the run will end early.
  var isStopping: Bool { isStopped.load(ordering: .relaxed) }

  /// Ends a run soon. Running transfers are cancelled, and saved results stay. Any thread may call it.
  public func stop() {
    isStopped.store(true, ordering: .relaxed)
    root.stopWaiting()
    downloader.withLock { $0 }?.cancelAll()
  }

  /// Ends the running transfers without a result, so that their feeds are in ``End/withheld``.
  func withhold() { downloader.withLock { $0 }?.withholdAll() }

  /// Returns requests with recently failed or refused feeds last. Otherwise a host's unanswering feeds would
  /// prevent polls of its other feeds, run after run (``DownloaderConfiguration/enoughSilence``).
  private static func ordered(_ requests: [FeedRequest]) -> [FeedRequest] {
    let isLast = { (request: FeedRequest) in request.failures > 0 || request.wasRefused && !request.isLimited
    }
    guard requests.contains(where: isLast) else { return requests }
    return requests.filter { !isLast($0) } + requests.filter(isLast)
  }

  /// Groups requests that look the same to the server, in their order.
  private static func grouped(_ requests: [FeedRequest]) -> [[FeedRequest]] {
    var groups: [[FeedRequest]] = []
    var places: [String: Int] = [:]
    for request in requests {
      let identity = request.identity
      if let place = places[identity] {
        groups[place].append(request)
      } else {
        places[identity] = groups.count
        groups.append([request])
      }
    }
    return groups
  }

  private func makeDownloader(runsLow: @escaping @Sendable () -> Void) throws(ImportFailure) -> Downloader {
    var configuration = DownloaderConfiguration(userAgent: options.userAgent)
    configuration.jobs = options.jobs
    configuration.perHost = options.perHost
    configuration.patience = options.hostPatience
    // The next run that claims the publisher opens its own connections.
    configuration.closesIdleConnections = true
    configuration.allowsPrivateAddresses = !options.publicOnly
    do throws(DownloadError) {
      let made = try Downloader(configuration: configuration, runsLow: runsLow)
      downloader.withLock { $0 = made }
      return made
    } catch {
      throw .download(PollFailure(transfer: error))
    }
  }
}
