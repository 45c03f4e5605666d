import ManagedContext
public import WebAddress

/// A feed's schedule.
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

  /// True if ``movedTo`` is on another host than the feed's header fields or credentials. The feed's own
  /// address is still polled, and only the user can change it, even if the configuration changes later.
  public var isMoveForeign: Bool { FeedLocation(self).isForeign }

  /// The polled address: a move's target, else the feed's own address.
  public var currentURL: WebAddress { FeedLocation(self).current }

  /// Makes a feed due again after its publisher had ended it (HTTP 410), or after its address has changed.
  /// Its log stays.
  public func pollAgain() {
    self.isGone410 = false
    failures = 0
    (self.nextFetch, nextReason, self.scheduledAt) = (nil, nil, nil)
    (lastOutcome, self.lastStatus, lastFailure) = (nil, nil, nil)
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
  package static func write(_ reason: PollReason?, to feed: inout some AttributeWriting) {
    feed[Feed.schema.reasonCode] = reason?.code?.rawValue
    feed[Feed.schema.reasonSeconds] = reason?.seconds
    feed[Feed.schema.reasonCount] = reason?.count
    feed[Feed.schema.reasonStatus] = reason?.status
    feed[Feed.schema.reasonProxy] = reason?.proxy
    feed[Feed.schema.isPostponed] = reason?.isPostponed == true ? true : nil
    feed[Feed.schema.reasonText] = reason?.text
  }

  /// Reads a stored reason, or nil.
  init?(_ feed: some AttributeReading) {
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
