public import ManagedContext

/// Values for some feeds in one store, in about 25 bytes for each feed: equal values are usually stored once.
public struct FeedNotes<Value: Hashable & Sendable>: Sendable {
  /// The indexes of values, by feed key.
  private var places: [Int64: UInt32] = [:]
  /// The feed that last got a value. All feeds are in its store.
  private var last = ManagedObjectID.none
  private var stored: [Value] = []
  /// The indexes of the values that were added last.
  private var recent: [Value: UInt32] = [:]
  private static var mostRecent: Int { 256 }

  /// Creates notes without feeds.
  public init() {}

  /// The feed count.
  public var count: Int { places.count }
  /// True if no feed has a value.
  public var isEmpty: Bool { places.isEmpty }
  /// The feeds, in any order.
  public var feeds: some Collection<ManagedObjectID> { places.keys.lazy.map { last.with(key: $0) } }
  /// Each feed's value, in the order of ``feeds``.
  public var values: some Collection<Value> { places.values.lazy.map { stored[Int($0)] } }

  /// A feed's value; nil without one.
  public subscript(feed: ManagedObjectID) -> Value? {
    guard feed.entity == last.entity, feed.store == last.store else { return nil }
    return places[feed.key].map { stored[Int($0)] }
  }

  mutating func set(_ value: Value, for feed: ManagedObjectID) {
    last = feed
    if let place = recent[value] {
      places[feed.key] = place
      return
    }
    let place = UInt32(stored.count)
    stored.append(value)
    if recent.count == Self.mostRecent { recent = [:] }
    recent[value] = place
    places[feed.key] = place
  }

  /// Adds the values from other notes.
  mutating func merge(_ others: FeedNotes) {
    if isEmpty {
      self = others
    } else {
      for (feed, value) in zip(others.feeds, others.values) { set(value, for: feed) }
    }
  }
}
