public import ManagedContext

/// A value for each of some feeds. Equal values are usually stored once, so that a feed takes about 40 bytes.
public struct FeedNotes<Value: Hashable & Sendable>: Sendable {
  private var places: [ManagedObjectID: UInt32] = [:]
  private var stored: [Value] = []
  /// The places of the values that were added last.
  private var recent: [Value: UInt32] = [:]
  private static var mostRecent: Int { 256 }

  /// Creates notes without feeds.
  public init() {}

  /// The number of feeds.
  public var count: Int { places.count }
  /// True if no feed has a value.
  public var isEmpty: Bool { places.isEmpty }
  /// The feeds, in any order.
  public var feeds: some Collection<ManagedObjectID> { places.keys }
  /// The value of each feed, in the order of ``feeds``.
  public var values: some Collection<Value> { places.values.lazy.map { stored[Int($0)] } }

  /// The value of a feed; nil without one.
  public subscript(feed: ManagedObjectID) -> Value? { places[feed].map { stored[Int($0)] } }

  /// Gives a feed a value.
  mutating func set(_ value: Value, for feed: ManagedObjectID) {
    if let place = recent[value] {
      places[feed] = place
      return
    }
    let place = UInt32(stored.count)
    stored.append(value)
    if recent.count == Self.mostRecent { recent = [:] }
    recent[value] = place
    places[feed] = place
  }

  /// Gives feeds the values of other notes.
  mutating func merge(_ others: some Sequence<(key: ManagedObjectID, value: Value)>) {
    for (feed, value) in others { set(value, for: feed) }
  }
}
