@testable import ManagedContext

/// The number of an object in a random test, independent of its IDs.
typealias Handle = Int

/// A value in the plain model.
enum PlainValue: Hashable {
  case nothing
  case text(String)
  case number(Int)
  case object(Handle)
}

struct PlainObject: Equatable {
  let entity: EntityIndex
  var values: [PlainValue]
}

/// A pair of an item and a mark.
struct PlainPair: Hashable {
  let item: Handle
  let mark: Handle
}

/// The objects and pairs of one context or of the store.
struct PlainGraph: Equatable {
  var objects: [Handle: PlainObject] = [:]
  var pairs: Set<PlainPair> = []
  /// Pairs with an object that is missing here. A child that has edited the object shows them.
  private var hiddenPairs: Set<PlainPair> = []

  static func == (left: PlainGraph, right: PlainGraph) -> Bool {
    left.objects == right.objects && left.pairs == right.pairs
  }

  func handles(of entity: EntityIndex) -> [Handle] {
    objects.filter { $0.value.entity == entity }.keys.sorted()
  }

  /// Returns the items whose attribute refers to an owner.
  func items(with attribute: Int, leadingTo owner: Handle) -> [Handle] {
    objects.filter { $0.value.entity == Grove.item && $0.value.values[attribute] == .object(owner) }.keys
      .sorted()
  }

  mutating func remove(_ handle: Handle) {
    objects[handle] = nil
    pairs = pairs.filter { $0.item != handle && $0.mark != handle }
  }

  /// Returns the graph with the changes of a context.
  ///
  /// - Parameter views: The context's view of the objects that it has edited.
  func overlaid(with layer: PlainLayer, views: [Handle: PlainObject]) -> PlainGraph {
    var graph = self
    for (handle, object) in layer.created { graph.objects[handle] = object }
    for handle in layer.edits.keys { graph.objects[handle] = views[handle] }
    graph.pairs.formUnion(hiddenPairs)
    for handle in layer.deleted { graph.remove(handle) }
    for (pair, isThere) in layer.pairs {
      if isThere { graph.pairs.insert(pair) } else { graph.pairs.remove(pair) }
    }
    graph.hiddenPairs = graph.pairs.filter {
      graph.objects[$0.item] == nil || graph.objects[$0.mark] == nil
    }
    graph.pairs.subtract(graph.hiddenPairs)
    return graph
  }
}

/// Unsaved changes of a context.
struct PlainLayer {
  var created: [Handle: PlainObject] = [:]
  var edits: [Handle: [Int: PlainValue]] = [:]
  var deleted: Set<Handle> = []
  var pairs: [PlainPair: Bool] = [:]

  var isEmpty: Bool { created.isEmpty && edits.isEmpty && deleted.isEmpty && pairs.isEmpty }

  mutating func set(_ handle: Handle, _ attribute: Int, _ value: PlainValue) {
    if created[handle] != nil {
      created[handle]?.values[attribute] = value
    } else {
      edits[handle, default: [:]][attribute] = value
    }
  }

  mutating func delete(_ handle: Handle) {
    edits[handle] = nil
    pairs = pairs.filter { $0.key.item != handle && $0.key.mark != handle }
    if created.removeValue(forKey: handle) == nil { deleted.insert(handle) }
  }

  /// Returns this layer with later changes on top.
  func followed(by later: PlainLayer) -> PlainLayer {
    var both = self
    both.created.merge(later.created) { $1 }
    for (handle, values) in later.edits {
      for (attribute, value) in values { both.set(handle, attribute, value) }
    }
    both.pairs.merge(later.pairs) { $1 }
    for handle in later.deleted { both.delete(handle) }
    return both
  }
}

extension PlainValue: CustomStringConvertible {
  var description: String {
    switch self {
    case .nothing: "-"
    case .text(let text): text
    case .number(let number): "\(number)"
    case .object(let handle): "#\(handle)"
    }
  }
}

extension PlainLayer: CustomStringConvertible {
  var description: String {
    let parts =
      created.sorted { $0.key < $1.key }.map { "+\($0.key)\($0.value.values)" }
      + edits.sorted { $0.key < $1.key }.map {
        "\($0.key)\($0.value.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
      }
      + deleted.sorted().map { "-\($0)" }
      + pairs.map { "\($0.value ? "+" : "-")(\($0.key.item) \($0.key.mark))" }
    return parts.joined(separator: " ")
  }
}

extension PlainGraph {
  func marks(of item: Handle) -> [Handle] {
    pairs.filter { $0.item == item }.map(\.mark).sorted()
  }

  /// Returns true if an item sorts before another by a number, and then by label.
  func precedes(
    _ left: Handle, _ right: Handle, _ isAscending: Bool,
    _ number: (PlainGraph, PlainObject) -> PlainValue
  ) -> Bool {
    guard let left = objects[left], let right = objects[right] else { return false }
    let (first, second) = (number(self, left), number(self, right))
    if first != second {
      let isBefore =
        switch (first.number, second.number) {
        case (let a?, let b?): a < b
        case (nil, _): true
        default: false
        }
      return isBefore == isAscending
    }
    guard case .text(let a) = left.values[4], case .text(let b) = right.values[4] else { return false }
    return a < b
  }

  /// Returns the rank of an item's boss; nothing without a boss.
  static func rankOfBoss(_ graph: PlainGraph, _ item: PlainObject) -> PlainValue {
    item.values[0].handle.flatMap { graph.objects[$0]?.values[1] } ?? .nothing
  }
}
