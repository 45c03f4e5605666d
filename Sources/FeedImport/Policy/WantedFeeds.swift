import ManagedContext
import TextOutput

/// Feeds that a run wants to poll, each with its publisher, in little memory: a run may want a million feeds.
package struct WantedFeeds: Sendable {
  /// The feeds' keys, which are all in one store.
  private var keys: [Int64] = []
  private var place = ManagedObjectID.none
  /// Each feed's publisher, as its number in ``names``.
  private var publishers: [UInt32] = []
  private var names = NameTable()

  package init() {}

  init(_ feeds: some Sequence<Claims.Wanted>) {
    for feed in feeds { append(feed) }
  }

  var count: Int { keys.count }

  package mutating func append(_ wanted: Claims.Wanted) {
    place = wanted.feed
    keys.append(wanted.feed.key)
    publishers.append(names.number(of: wanted.publisher))
  }

  subscript(index: Int) -> Claims.Wanted {
    Claims.Wanted(feed(at: index), of: publisher(at: index))
  }

  func publisher(at index: Int) -> String { names[publishers[index]] }

  /// Returns the index after a publisher's last feed, if its feeds begin at `index`. Needs
  /// ``sortByPublisher()`` first.
  func endOfPublisher(at index: Int) -> Int {
    let publisher = publishers[index]
    return publishers[index...].firstIndex { $0 != publisher } ?? count
  }

  /// Returns the index of a publisher's first feed, if its feeds end before `end`. Needs
  /// ``sortByPublisher()`` first.
  func startOfPublisher(before end: Int) -> Int {
    let publisher = publishers[end - 1]
    return publishers[..<end].lastIndex { $0 != publisher }.map { $0 + 1 } ?? 0
  }

  func feed(at index: Int) -> ManagedObjectID { place.with(key: keys[index]) }

  /// Sorts the feeds by publisher, in the order of each publisher's first feed. Its feeds keep their order.
  mutating func sortByPublisher() {
    // Publishers are numbered in the order of their first feeds.
    guard zip(publishers, publishers.dropFirst()).contains(where: { $0 > $1 }) else { return }
    var next = [Int](repeating: 0, count: names.count + 1)
    for publisher in publishers { next[Int(publisher) + 1] += 1 }
    for publisher in next.indices.dropFirst() { next[publisher] += next[publisher - 1] }
    var (sortedKeys, sortedPublishers) = (keys, publishers)
    for (key, publisher) in zip(keys, publishers) {
      let index = next[Int(publisher)]
      next[Int(publisher)] += 1
      (sortedKeys[index], sortedPublishers[index]) = (key, publisher)
    }
    (keys, publishers) = (sortedKeys, sortedPublishers)
  }
}

/// Texts, each with a number from 0 in the order in which they were added; equal bytes have one number.
///
/// A text takes its bytes and about 20 more, a third of what a `String` in a dictionary takes.
struct NameTable: Sendable {
  /// The UTF-8 of all texts.
  private var bytes: [UInt8] = []
  /// The end of each text in ``bytes``.
  private var ends: [Int] = []
  /// A hash table with open addressing: a text's number plus 1, or 0 for a free slot.
  private var slots = [UInt32](repeating: 0, count: 16)

  var count: Int { ends.count }

  subscript(number: UInt32) -> String { String(decoding: bytes[range(Int(number))], as: UTF8.self) }

  private func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

  /// Returns a text's number, adding the text if necessary.
  mutating func number(of text: String) -> UInt32 {
    let slot = slot(of: text.utf8)
    if slots[slot] > 0 { return slots[slot] - 1 }
    let number = UInt32(count)
    bytes.append(contentsOf: text.utf8)
    ends.append(bytes.count)
    slots[slot] = number + 1
    if count * 4 > slots.count * 3 { grow() }
    return number
  }

  /// Returns the slot that contains a text, or is free for it.
  private func slot(of text: some Collection<UInt8>) -> Int {
    var slot = Int(truncatingIfNeeded: Self.hash(text)) & (slots.count - 1)
    while slots[slot] > 0, !bytes[range(Int(slots[slot]) - 1)].elementsEqual(text) {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for number in 0..<count { slots[slot(of: bytes[range(number)])] = UInt32(number) + 1 }
  }

  /// FNV-1a, with its high bits mixed into the low ones.
  private static func hash(_ text: some Sequence<UInt8>) -> UInt64 {
    let hash = FNV1a(text).value
    return hash ^ hash >> 32
  }
}
