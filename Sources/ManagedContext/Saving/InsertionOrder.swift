/// The order in which new objects are inserted: referenced objects come first.
///
/// In a reference cycle, one reference has to be set afterwards.
public struct InsertionOrder: Sendable {
  /// Indexes into the insertions, in the order to write them.
  public private(set) var steps: [Int] = []
  /// An insertion's attributes (by index) to set once all objects are inserted.
  public private(set) var postponed: [(insertion: Int, attributes: [Int])] = []

  private enum Mark {
    case waiting
    case open
    case done
  }

  /// Orders insertions by their references to one another.
  public init(_ insertions: [ChangeSet.Insertion], _ model: ManagedObjectModel) {
    let referring = insertions.map { insertion in
      model.references[Int(insertion.id.entity)].filter { insertion.values[$0].isTemporaryReference }
    }
    guard referring.contains(where: { !$0.isEmpty }) else {
      steps = Array(insertions.indices)
      return
    }
    let place = Dictionary(
      insertions.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    var marks = [Mark](repeating: .waiting, count: insertions.count)
    for start in insertions.indices where marks[start] == .waiting {
      // Depth first with an explicit stack, because a chain may be as long as the save.
      var stack: [(insertion: Int, next: Int)] = [(start, 0)]
      marks[start] = .open
      while let top = stack.last {
        guard top.next < referring[top.insertion].count else {
          marks[top.insertion] = .done
          steps.append(top.insertion)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let attribute = referring[top.insertion][top.next]
        guard case .reference(let id) = insertions[top.insertion].values[attribute] else { continue }
        // A reference to a new object outside the save cannot be resolved. It is set last too, and its error
        // names it.
        guard let other = place[id], marks[other] != .open else {
          postponed.append((top.insertion, [attribute]))
          continue
        }
        if marks[other] == .waiting {
          marks[other] = .open
          stack.append((other, 0))
        }
      }
    }
  }
}
