public import Foundation
public import ManagedContext
public import WebAddress

/// When a feed is asked, and what is known for deciding it.
extension Feed.Key {
  /// See ``Feed/nextFetch``.
  public static let nextFetch = AttributeKey<Date?>(17, "next_fetch")
  /// See ``Feed/nextReason``.
  public static let nextReason = AttributeKey<String?>(18, "next_reason")
  /// See ``Feed/claimedUntil``.
  public static let claimedUntil = AttributeKey<Date?>(19, "claimed_until")
  /// See ``Feed/claim``.
  public static let claim = AttributeKey<Int64?>(20, "claim")
  /// See ``Feed/timeToLive``.
  public static let timeToLive = AttributeKey<Int?>(21, "time_to_live")
  /// See ``Feed/updateInterval``.
  public static let updateInterval = AttributeKey<Int?>(22, "update_interval")
  /// See ``Feed/updateBase``.
  public static let updateBase = AttributeKey<Date?>(23, "update_base")
  /// See ``Feed/skipHours``.
  public static let skipHours = AttributeKey<Int?>(24, "skip_hours")
  /// See ``Feed/skipDays``.
  public static let skipDays = AttributeKey<Int?>(25, "skip_days")
  /// See ``Feed/rhythm``.
  public static let rhythm = AttributeKey<Int?>(26, "rhythm")
  /// See ``Feed/newestArticle``.
  public static let newestArticle = AttributeKey<Date?>(27, "newest_article")
  /// See ``Feed/movedSince``.
  public static let movedSince = AttributeKey<Date?>(28, "moved_since")
  /// See ``Feed/goodFetchesOfTarget``.
  public static let goodFetchesOfTarget = AttributeKey<Int?>(29, "moved_good_fetches")
  /// See ``Feed/pausedURL``.
  public static let pausedURL = AttributeKey<WebAddress?>(30, "paused_url")
  /// See ``Feed/validatorsURL``.
  public static let validatorsURL = AttributeKey<WebAddress?>(31, "validators_url")
  /// See ``Feed/scheduledAt``.
  public static let scheduledAt = AttributeKey<Date?>(32, "scheduled_at")
  /// See ``Feed/ownTitle``.
  public static let ownTitle = AttributeKey<String?>(33, "own_title")
}

extension Feed {
  /// When the feed is due; nil when it never was asked, or never will be again (``isGone410``).
  public var nextFetch: Date? {
    get { self[Key.nextFetch] }
    set { self[Key.nextFetch] = newValue }
  }

  /// Why it is due then, in words.
  public var nextReason: String? {
    get { self[Key.nextReason] }
    set { self[Key.nextReason] = newValue }
  }

  /// Until when a run that has claimed the feed may take; nil when none has. A claim that expired is void.
  public var claimedUntil: Date? {
    get { self[Key.claimedUntil] }
    set { self[Key.claimedUntil] = newValue }
  }

  /// The number of the run that has claimed the feed.
  public var claim: Int64? {
    get { self[Key.claim] }
    set { self[Key.claim] = newValue }
  }

  /// RSS `ttl` in seconds.
  public var timeToLive: Int? {
    get { self[Key.timeToLive] }
    set { self[Key.timeToLive] = newValue }
  }

  /// The syndication module's time between updates, in seconds.
  public var updateInterval: Int? {
    get { self[Key.updateInterval] }
    set { self[Key.updateInterval] = newValue }
  }

  /// The syndication module's `updateBase`.
  public var updateBase: Date? {
    get { self[Key.updateBase] }
    set { self[Key.updateBase] = newValue }
  }

  /// RSS `skipHours`: bit 0 is the hour from midnight, UTC; nil for none.
  public var skipHours: Int? {
    get { self[Key.skipHours] }
    set { self[Key.skipHours] = newValue }
  }

  /// RSS `skipDays`: bit 0 is Sunday; nil for none.
  public var skipDays: Int? {
    get { self[Key.skipDays] }
    set { self[Key.skipDays] = newValue }
  }

  /// The middle of the times between its articles, in seconds; nil when they have no dates.
  public var rhythm: Int? {
    get { self[Key.rhythm] }
    set { self[Key.rhythm] = newValue }
  }

  /// The date of its newest article, as far as it has one.
  public var newestArticle: Date? {
    get { self[Key.newestArticle] }
    set { self[Key.newestArticle] = newValue }
  }

  /// When its server first said that it has moved to ``movedTo``; nil when it has not.
  public var movedSince: Date? {
    get { self[Key.movedSince] }
    set { self[Key.movedSince] = newValue }
  }

  /// How many good answers ``movedTo`` has given; nil beside ``movedSince`` where only the user may follow, see
  /// ``isMoveForeign``.
  public var goodFetchesOfTarget: Int? {
    get { self[Key.goodFetchesOfTarget] }
    set { self[Key.goodFetchesOfTarget] = newValue }
  }

  /// The address that asked for ``notBefore``: where redirects led. Nil without such a wish.
  public var pausedURL: WebAddress? {
    get { self[Key.pausedURL] }
    set { self[Key.pausedURL] = newValue }
  }

  /// Whether ``movedTo`` is another host than the one that the feed's header fields or credentials are for: the feed's
  /// own address is asked on, and only the user gives it the other, whatever configuration is in force later.
  public var isMoveForeign: Bool {
    Self.isMoveForeign(movedTo, since: movedSince, goodFetches: goodFetchesOfTarget)
  }

  /// Where the feed is asked for: where it moved to, else its own address.
  public var currentURL: WebAddress { isMoveForeign ? url : movedTo ?? url }

  /// The address that sent the last body, and ``etag`` and ``lastModified`` with it, without a password: where redirects
  /// led. Nil where that is not known.
  public var validatorsURL: WebAddress? {
    get { self[Key.validatorsURL] }
    set { self[Key.validatorsURL] = newValue }
  }

  /// When ``nextFetch`` and ``notBefore`` were decided, by the clock of the run that decided them; nil if no run of
  /// version 8 has.
  public var scheduledAt: Date? {
    get { self[Key.scheduledAt] }
    set { self[Key.scheduledAt] = newValue }
  }

  /// Lets a feed be asked again at once whose publisher had ended it (HTTP 410), or whose address is another now. How it
  /// has answered stays in the log.
  public func askAgain() {
    isGone410 = false
    failures = 0
    (nextFetch, nextReason, scheduledAt) = (nil, nil, nil)
    (lastOutcome, lastStatus, lastError) = (nil, nil, nil)
  }

  static let scheduleProperties: [PropertyDescription] = [
    .attribute(Key.nextFetch, \Feed.nextFetch),
    .attribute(Key.nextReason, \Feed.nextReason),
    .attribute(Key.claimedUntil, \Feed.claimedUntil),
    .attribute(Key.claim, \Feed.claim),
    .attribute(Key.timeToLive, \Feed.timeToLive),
    .attribute(Key.updateInterval, \Feed.updateInterval),
    .attribute(Key.updateBase, \Feed.updateBase),
    .attribute(Key.skipHours, \Feed.skipHours),
    .attribute(Key.skipDays, \Feed.skipDays),
    .attribute(Key.rhythm, \Feed.rhythm),
    .attribute(Key.newestArticle, \Feed.newestArticle),
    .attribute(Key.movedSince, \Feed.movedSince),
    .attribute(Key.goodFetchesOfTarget, \Feed.goodFetchesOfTarget),
    .attribute(Key.pausedURL, \Feed.pausedURL),
    .attribute(Key.validatorsURL, \Feed.validatorsURL),
    .attribute(Key.scheduledAt, \Feed.scheduledAt),
    .attribute(Key.ownTitle, \Feed.ownTitle),
  ]
}
