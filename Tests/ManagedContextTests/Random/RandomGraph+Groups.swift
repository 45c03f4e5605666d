@testable import ManagedContext
import TestSupport

extension RandomGraph {
  /// Items with the same host, summarized.
  struct Group: Hashable, CustomStringConvertible {
    var host: PlainValue
    var count: Int
    var numbered: Int
    var sum: Int
    var least: Int?
    var greatest: Int?
    var mean: Double?

    init(_ host: PlainValue, _ items: [PlainObject]) {
      let numbers = items.compactMap { $0.values[5].number }
      (self.host, count, numbered) = (host, items.count, numbers.count)
      sum = numbers.reduce(0, +)
      (least, greatest) = (numbers.min(), numbers.max())
      mean = numbers.isEmpty ? nil : Double(sum) / Double(numbers.count)
    }

    var description: String {
      "\(host): \(count) \(numbered) \(sum) \(least ?? -1) \(greatest ?? -1) \(mean ?? -1)"
    }
  }

  /// Compares groups of items, and the different ranks of their bosses, with the model.
  func checkGroups(_ node: Int) throws {
    let graph = try visible(node)
    let (predicate, holds) = itemPredicate(graph, depth: 1)
    let items = graph.handles(of: Grove.item).compactMap { handle in
      graph.objects[handle].flatMap { holds(handle, $0) ? $0 : nil }
    }
    let least = Int.random(in: 0..<3, using: &dice)
    let having: GroupPredicate<Item>? = least == 0 ? nil : .count(\.number) >= least && .sum(\.number) != 7
    let limit = chance(50) ? Int.random(in: 0..<4, using: &dice) : nil
    let (rows, total, ranks, largest) = try perform(node) { context, _ in
      let rows = try context.aggregate(
        Item.self, by: \.host, where: predicate, having: having, .count, .count(\.number), .sum(\.number),
        .minimum(\.number), .maximum(\.number), .average(\.number))
      let (total, sum) = try context.aggregate(Item.self, where: predicate, .count, .sum(\.number))
      let ranks = try context.fetchValues(FetchRequest(Item.self, where: predicate), distinct: \.boss!.rank)
      let largest = try context.aggregate(
        Item.self, by: \.host, where: predicate, having: having,
        sortedBy: [.descending(.sum(\.number)), .ascending(.count)], limit: limit, .sum(\.number), .count)
      return (rows, [total, sum], ranks, largest.map { [$0.1, $0.2] })
    }
    let found = try rows.map { row in
      var group = Group(try row.0.map { .object(try handle($0)) } ?? .nothing, [])
      (group.count, group.numbered, group.sum, group.least, group.greatest, group.mean) = (
        row.1, row.2, row.3, row.4, row.5, row.6
      )
      return group
    }
    let expected = Dictionary(grouping: items) { $0.values[1] }.map { Group($0.key, $0.value) }.filter {
      least == 0 || $0.numbered >= least && $0.sum != 7
    }
    note(node, "group \(expected)")
    guard Set(found) == Set(expected), found.count == expected.count else {
      throw Failure(description: "found \(found), not \(expected)")
    }
    let ordered = expected.map { [$0.sum, $0.count] }.sorted { ($1[0], $0[1]) < ($0[0], $1[1]) }
    guard largest == Array(ordered.prefix(limit ?? .max)) else {
      throw Failure(description: "the largest groups are \(largest), not \(ordered)")
    }
    let sum = items.compactMap { $0.values[5].number }.reduce(0, +)
    guard total == [items.count, sum] else {
      throw Failure(description: "\(total), not \(items.count), \(sum)")
    }
    let different = Set(items.map { PlainGraph.rankOfBoss(graph, $0).number })
    guard Set(ranks) == different, ranks == different.sorted(by: { ($0 ?? .min) < ($1 ?? .min) }) else {
      throw Failure(description: "the ranks are \(ranks), not \(different)")
    }
  }
}
