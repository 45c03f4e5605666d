/// A step that writes one row.
enum WritingStep {
  /// The attributes left out lead to rows that come later, or never.
  case insertion(ChangeSet.Insertion, leftOut: [Int])
  /// - Parameter version: The version that the row must have; nil for any.
  case update(ChangeSet.Update, attributes: [Int], version: Int64?)
}

/// The steps in a ``ChangeSetWriting`` that cannot be executed yet.
struct WaitingSteps {
  /// The steps by the object they wait for: a row that will change its values, or a new object (by its
  /// temporary ID).
  private var byObject: [ManagedObjectID: [WritingStep]] = [:]
  /// Steps that no longer have to wait. The last one is executed next.
  private var released: [WritingStep] = []
  /// Steps that clash with a row that keeps its values, and how many are already processed.
  private var clashing: (steps: [WritingStep], taken: Int) = ([], 0)
  /// New objects that wait and are not yet inserted.
  private var insertions: Set<ManagedObjectID> = []
  /// The rows that the save will still update, with the attributes; nil before the first clash.
  private var unwritten: [ManagedObjectID: [Int]]?
  /// Rows removed from their table until their steps come, with their previous values.
  var takenOut: [ManagedObjectID: (values: [AttributeValue], version: Int64)] = [:]

  /// True after a step has clashed.
  var hasBegun: Bool { unwritten != nil }

  mutating func begin(unwritten updates: [ChangeSet.Update]) {
    unwritten = Dictionary(updates.map { ($0.id, $0.edited) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns whether the save will still write some of these attributes to a row.
  func isToBeUpdated(_ row: ManagedObjectID, _ attributes: [Int]) -> Bool {
    unwritten?[row]?.contains(where: attributes.contains) ?? false
  }

  /// Returns a waiting new object that some values refer to; nil if none exists.
  func insertion(in values: [AttributeValue], _ attributes: [Int]) -> ManagedObjectID? {
    guard !insertions.isEmpty else { return nil }
    for attribute in attributes {
      if case .reference(let id) = values[attribute], insertions.contains(id) { return id }
    }
    return nil
  }

  mutating func add(_ step: WritingStep, for object: ManagedObjectID) {
    byObject[object, default: []].append(step)
    noteInsertion(step)
  }

  mutating func addClashing(_ step: WritingStep) {
    clashing.steps.append(step)
    noteInsertion(step)
  }

  private mutating func noteInsertion(_ step: WritingStep) {
    if case .insertion(let insertion, _) = step { insertions.insert(insertion.id) }
  }

  /// Lets the steps that waited for a row or for a new object try again.
  mutating func release(_ object: ManagedObjectID) {
    guard unwritten != nil else { return }
    unwritten?[object] = nil
    insertions.remove(object)
    released += (byObject.removeValue(forKey: object) ?? []).reversed()
  }

  mutating func takeReleased() -> WritingStep? { released.popLast() }

  mutating func takeClashing() -> WritingStep? {
    guard clashing.taken < clashing.steps.count else { return nil }
    clashing.taken += 1
    return clashing.steps[clashing.taken - 1]
  }

  /// A row that other steps wait for and that waits itself.
  var rowInCircle: ManagedObjectID? { byObject.keys.filter { !$0.isTemporary }.min { $0.key < $1.key } }
}
