@testable import ManagedContext
import TestSupport

/// Random predicates, each with the equivalent function on the model.
extension RandomGraph {
  typealias Holds = (Handle, PlainObject) -> Bool

  func itemPredicate(_ graph: PlainGraph, depth: Int) -> (FetchPredicate<Item>, Holds) {
    switch Int.random(in: 0..<(depth < 2 ? 10 : 6), using: &dice) {
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
    case 6, 7:
      let (left, right) = (itemPredicate(graph, depth: depth + 1), itemPredicate(graph, depth: depth + 1))
      return (left.0 && right.0, { left.1($0, $1) && right.1($0, $1) })
    case 8:
      let (left, right) = (itemPredicate(graph, depth: depth + 1), itemPredicate(graph, depth: depth + 1))
      return (left.0 || right.0, { left.1($0, $1) || right.1($0, $1) })
    default:
      let part = itemPredicate(graph, depth: depth + 1)
      return (!part.0, { !part.1($0, $1) })
    }
  }
}
