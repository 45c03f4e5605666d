internal import ManagedContext
internal import SQLStatements

/// The unused keys that this process has taken from the tables' sequences.
///
/// A process's rows have successive keys, even while other processes insert rows into the same table. A
/// process that inserts few rows takes only the keys that it needs.
struct KeyBlocks: Sendable {
  private var keys: [EntityIndex: [Range<Int64>]] = [:]
  /// The count of inserted rows for each entity.
  private var inserted: [EntityIndex: Int] = [:]

  /// The key count in a block.
  private static let size = 1000

  func count(of entity: EntityIndex) -> Int { keys[entity]?.reduce(0) { $0 + $1.count } ?? 0 }

  mutating func add(_ ranges: some Sequence<Range<Int64>>, of entity: EntityIndex) {
    keys[entity, default: []] += ranges
  }

  /// Removes and returns the next key; nil if none is left.
  mutating func take(_ entity: EntityIndex) -> Int64? { take(1, of: entity).first }

  /// Removes and returns keys, at most `count`; if possible, they follow each other.
  mutating func take(_ count: Int, of entity: EntityIndex) -> [Int64] {
    if let place = keys[entity]?.firstIndex(where: { $0.count >= count }), let range = keys[entity]?[place] {
      let rest = range.lowerBound + Int64(count)..<range.upperBound
      keys[entity]?.replaceSubrange(place...place, with: rest.isEmpty ? [] : [rest])
      return Array(range.lowerBound..<rest.lowerBound)
    }
    var taken: [Int64] = []
    while taken.count < count, let first = keys[entity]?.first {
      let part = first.prefix(count - taken.count)
      taken += part
      if part.count < first.count {
        keys[entity]?[0] = part.upperBound..<first.upperBound
      } else {
        keys[entity]?.removeFirst()
      }
    }
    return taken
  }

  /// Puts unused keys back, to be taken next.
  mutating func putBack(_ unused: some Collection<Int64>, of entity: EntityIndex) {
    keys[entity, default: []].insert(contentsOf: unused.map { $0..<$0 + 1 }.joinedRanges, at: 0)
  }

  /// Removes all keys, because another program's row has one.
  mutating func removeAll() { keys = [:] }

  /// Notes inserted rows.
  mutating func noteInserted(_ count: Int, of entity: EntityIndex) { inserted[entity, default: 0] += count }

  /// Returns the count of keys to take for the next group; 0 in a process that inserts few rows.
  func needed(after rows: Int, of entity: EntityIndex) -> Int {
    guard inserted[entity, default: 0] >= Self.size else { return 0 }
    let wanted = max(Self.size, rows)
    return count(of: entity) >= min(wanted, rows) ? 0 : wanted
  }

  /// Returns a statement that takes keys, and yields their ranges.
  static func taking(_ count: Int, of entity: EntityDescription) -> Statement {
    Statement(
      """
      SELECT min(key), max(key) FROM (SELECT key, key - row_number() OVER (ORDER BY key) AS run FROM \
      (SELECT nextval((SELECT \(Tables.sequence(of: entity)))) AS key FROM generate_series(1, $1::bigint)) AS taken) AS keys \
      GROUP BY run ORDER BY 1
      """, .integer(Int64(count)))
  }

  /// Returns the ranges in a result from ``taking(_:of:)``.
  static func ranges(_ result: QueryResult) -> [Range<Int64>] {
    (0..<result.count).compactMap { row in
      guard let first = result.integer(row, 0), let last = result.integer(row, 1) else { return nil }
      return first..<last + 1
    }
  }
}

extension [Range<Int64>] {
  /// The ranges with adjacent ones joined.
  fileprivate var joinedRanges: [Range<Int64>] {
    reduce(into: []) { joined, range in
      if let last = joined.last, last.upperBound == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
  }
}
