@testable import ManagedContext

/// An object of a random test, whatever ID it has where.
typealias Handle = Int

/// A value as the plain model knows it.
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

/// An item and a mark that belong together.
struct PlainPair: Hashable {
  let item: Handle
  let mark: Handle
}

/// Objects and pairs as one context, or the store, has them.
struct PlainGraph: Equatable {
  var objects: [Handle: PlainObject] = [:]
  var pairs: Set<PlainPair> = []
  /// Pairs with an object that is not here; a child that has edited it shows them.
  private var hiddenPairs: Set<PlainPair> = []

  static func == (left: PlainGraph, right: PlainGraph) -> Bool {
    left.objects == right.objects && left.pairs == right.pairs
  }

  func handles(of entity: EntityIndex) -> [Handle] {
    objects.filter { $0.value.entity == entity }.keys.sorted()
  }

  /// The items that lead to an owner by an attribute.
  func items(with attribute: Int, leadingTo owner: Handle) -> [Handle] {
    objects.filter { $0.value.entity == Grove.item && $0.value.values[attribute] == .object(owner) }.keys
      .sorted()
  }

  mutating func remove(_ handle: Handle) {
    objects[handle] = nil
    pairs = pairs.filter { $0.item != handle && $0.mark != handle }
  }

  /// The same with the changes of a context over it.
  ///
  /// - Parameter views: What the context shows of the objects that it has edited.
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

  /// The same with later changes over it.
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
