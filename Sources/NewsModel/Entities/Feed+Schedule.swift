public import Foundation
public import ManagedContext
public import WebAddress

extension Feed {
  /// The reason for ``nextFetch``; nil if the feed was never polled.
  public var nextReason: PollReason? {
    get { PollReason(self) }
    set {
      var feed = self
      PollReason.write(newValue, to: &feed)
    }
  }

  /// Answers without a known article: articles before them may have been missed.
  public var missedAnswers: Int {
    get { max(0, self.storedMissedAnswers ?? 0) }
    set { self.storedMissedAnswers = newValue == 0 ? nil : newValue }
  }

  /// Makes a feed due again after its publisher had ended it (HTTP 410), or after its address has changed.
  /// Its log stays.
  public func pollAgain() {
    self.isGone410 = false
    failures = 0
    (self.nextFetch, nextReason, self.scheduledAt) = (nil, nil, nil)
    (lastOutcome, self.lastStatus, lastFailure) = (nil, nil, nil)
  }
}

/// The schedule that objects and rows have.
extension EntityValues where Object == Feed {
  /// See ``Feed/nextReason``.
  public var nextReason: PollReason? { PollReason(self) }

  /// The time at which ``Feed/nextFetch`` and ``Feed/notBefore`` were determined; before version 8, the time
  /// of the last poll.
  public var scheduleDate: Date? { self[Feed.schema.scheduledAt] ?? self[Feed.schema.lastFetch] }

  /// True if ``Feed/movedTo`` is on another host than the feed's header fields or credentials. The feed's own
  /// address is still polled, and only the user can change it, even if the configuration changes later.
  public var isMoveForeign: Bool {
    self[Feed.schema.movedTo] != nil && self[Feed.schema.movedSince] != nil
      && self[Feed.schema.goodFetchesOfTarget] == nil
  }

  /// The polled address: a move's target, else the feed's own address.
  public var currentURL: WebAddress {
    guard let target = self[Feed.schema.movedTo], !isMoveForeign else { return self[Feed.schema.url] }
    return target
  }

  /// True if the feed is polled at its move's target.
  public var isMoved: Bool { self[Feed.schema.movedTo] != nil && !isMoveForeign }
}

extension DataSource {
  /// Returns a region's feeds as rows, in the order in which they were added to the store, with the attributes
  /// that determine whether a feed is polled.
  public func schedules(of region: Region) throws(StoreError) -> [StoredRow<Feed>] {
    try schedules(Self.members(of: region))
  }

  /// Returns the feeds of all regions as ``schedules(of:)`` does, by region.
  public func schedulesByRegion() throws(StoreError) -> [ManagedObjectID: [StoredRow<Feed>]] {
    let feeds = Dictionary(
      try schedules(FetchRequest(Feed.self, where: .to(some: \.regions, where: .constant(true)))).map {
        ($0.id, $0)
      },
      uniquingKeysWith: { first, _ in first })
    return try context.fetchRelatedIDs(\Region.feeds, of: nil).mapValues { $0.compactMap { feeds[$0] } }
  }

  /// Returns the existing feeds among IDs as rows, with the attributes that determine whether a feed is polled.
  public func schedules(_ feeds: [ManagedObjectID]) throws(StoreError) -> [StoredRow<Feed>] {
    feeds.isEmpty ? [] : try schedules(FetchRequest(Feed.self, where: .ids(feeds)))
  }

  /// Returns the feeds that match a request as rows, with the attributes that determine whether a feed is polled.
  public func schedules(_ feeds: FetchRequest<Feed>) throws(StoreError) -> [StoredRow<Feed>] {
    let rows = try context.rows(of: feeds) {
      let address: [any SchemaColumn] = [$0.url, $0.movedTo, $0.movedSince, $0.goodFetchesOfTarget]
      let dates: [any SchemaColumn] = [$0.notBefore, $0.nextFetch, $0.lastFetch, $0.scheduledAt]
      let reason: [any SchemaColumn] = [
        $0.reasonText, $0.reasonCode, $0.reasonSeconds, $0.reasonCount, $0.reasonStatus, $0.reasonProxy,
        $0.isPostponed,
      ]
      return address + dates + reason
        + [$0.isGone410, $0.storedFailures, $0.storedOutcome, $0.skipHours, $0.skipDays]
    }
    return Array(rows)
  }
}

extension PollReason {
  /// The columns for a reason.
  package static let columns = [
    Feed.schema.reasonText.index, Feed.schema.reasonCode.index, Feed.schema.reasonSeconds.index,
    Feed.schema.reasonCount.index, Feed.schema.reasonStatus.index, Feed.schema.reasonProxy.index,
    Feed.schema.isPostponed.index,
  ]

  /// Writes ``Feed/nextReason``.
  package static func write(_ reason: PollReason?, to feed: inout some EditableValues<Feed>) {
    feed[Feed.schema.reasonCode] = reason?.code?.rawValue
    feed[Feed.schema.reasonSeconds] = reason?.seconds
    feed[Feed.schema.reasonCount] = reason?.count
    feed[Feed.schema.reasonStatus] = reason?.status
    feed[Feed.schema.reasonProxy] = reason?.proxy
    feed[Feed.schema.isPostponed] = reason?.isPostponed == true ? true : nil
    feed[Feed.schema.reasonText] = reason?.text
  }

  /// Reads a stored reason, or nil.
  init?(_ feed: some EntityValues<Feed>) {
    code = feed[Feed.schema.reasonCode].flatMap(Code.init(rawValue:))
    text = feed[Feed.schema.reasonText]
    guard code != nil || text != nil else { return nil }
    seconds = feed[Feed.schema.reasonSeconds]
    count = feed[Feed.schema.reasonCount]
    status = feed[Feed.schema.reasonStatus]
    proxy = feed[Feed.schema.reasonProxy]
    isPostponed = feed[Feed.schema.isPostponed] ?? false
  }
}
