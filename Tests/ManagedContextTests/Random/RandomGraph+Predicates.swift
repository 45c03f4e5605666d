@testable import ManagedContext
import TestSupport

/// Random predicates, each with the equivalent function on the model.
extension RandomGraph {
  typealias Holds = (Handle, PlainObject) -> Bool

  func itemPredicate(_ graph: PlainGraph, depth: Int) -> (FetchPredicate<Item>, Holds) {
    switch Int.random(in: 0..<(depth < 2 ? 12 : 8), using: &dice) {
    case 0: return (.constant(true), { _, _ in true })
    case 1:
      let limit = Int.random(in: 0...max(counter, 1), using: &dice)
      return (\Item.number > limit, { _, item in item.values[5].number.map { $0 > limit } ?? false })
    case 2: return (\Item.number == nil, { _, item in item.values[5] == .nothing })
    case 3:
      let owner = choose(graph.handles(of: Grove.owner))
      let id = owner.map { ids[$0].now }
      return (
        \Item.host == id, { _, item in item.values[1] == owner.map(PlainValue.object) ?? .nothing }
      )
    case 4:
      let limit = Int.random(in: 0...max(counter, 1), using: &dice)
      return (
        .to(\Item.boss, where: \Owner.rank < limit),
        { _, item in
          item.values[0].handle.flatMap { graph.objects[$0]?.values[1].number }.map { $0 < limit } ?? false
        }
      )
    case 5:
      let words = graph.handles(of: Grove.mark).compactMap { graph.objects[$0]?.values[0] }
      guard case .text(let word)? = choose(words) else { return (.constant(false), { _, _ in false }) }
      return (
        .to(some: \Item.marks, where: \Mark.word == word),
        { handle, _ in graph.marks(of: handle).contains { graph.objects[$0]?.values[0] == .text(word) } }
      )
    case 6: return marksPredicate(graph)
    case 7: return colleaguesPredicate(graph)
    case 8, 9:
      let (left, right) = (itemPredicate(graph, depth: depth + 1), itemPredicate(graph, depth: depth + 1))
      return (left.0 && right.0, { left.1($0, $1) && right.1($0, $1) })
    case 10:
      let (left, right) = (itemPredicate(graph, depth: depth + 1), itemPredicate(graph, depth: depth + 1))
      return (left.0 || right.0, { left.1($0, $1) || right.1($0, $1) })
    default:
      let part = itemPredicate(graph, depth: depth + 1)
      return (!part.0, { !part.1($0, $1) })
    }
  }

  /// Returns a condition on a many-to-many relationship.
  private func marksPredicate(_ graph: PlainGraph) -> (FetchPredicate<Item>, Holds) {
    let limit = "t\(Int.random(in: 0...max(counter, 1), using: &dice))"
    func matching(_ item: Handle) -> [Bool] {
      graph.marks(of: item).map { graph.objects[$0]?.values[0].text.map { $0 < limit } ?? false }
    }
    let isLow = \Mark.word < limit
    switch Int.random(in: 0..<5, using: &dice) {
    case 0: return (.isEmpty(\.marks), { item, _ in matching(item).isEmpty })
    case 1: return (.all(\.marks, where: isLow), { item, _ in matching(item).allSatisfy { $0 } })
    case 2: return (.none(\.marks, where: isLow), { item, _ in !matching(item).contains(true) })
    case 3:
      let (count, holds) = countPredicate(.count(\Item.marks, where: isLow))
      return (count, { item, _ in holds(matching(item).count { $0 }) })
    default:
      let (count, holds) = countPredicate(.count(\Item.marks))
      return (count, { item, _ in holds(matching(item).count) })
    }
  }

  /// Returns a condition on the items with the same boss.
  private func colleaguesPredicate(_ graph: PlainGraph) -> (FetchPredicate<Item>, Holds) {
    let (count, holds) = countPredicate(.count(\Owner.minions))
    return (
      .to(\Item.boss, where: count),
      { _, item in
        guard let boss = item.values[0].handle, graph.objects[boss] != nil else { return false }
        return holds(graph.items(with: 0, leadingTo: boss).count)
      }
    )
  }

  private func countPredicate<Object: ManagedObject>(
    _ count: RelationshipCount<Object>
  ) -> (FetchPredicate<Object>, (Int) -> Bool) {
    let number = Int.random(in: 0..<4, using: &dice)
    return switch Int.random(in: 0..<6, using: &dice) {
    case 0: (count == number, { $0 == number })
    case 1: (count != number, { $0 != number })
    case 2: (count < number, { $0 < number })
    case 3: (count <= number, { $0 <= number })
    case 4: (count > number, { $0 > number })
    default: (count >= number, { $0 >= number })
    }
  }
}

extension PlainValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
