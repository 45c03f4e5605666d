/// One row to be written.
enum WritingStep {
  /// The attributes that are left out lead to rows that come later, or never.
  case insertion(ChangeSet.Insertion, leftOut: [Int])
  /// - Parameter version: The version that the row must have; nil for any.
  case update(ChangeSet.Update, attributes: [Int], version: Int64?)
}

/// The steps of a ``ChangeSetWriting`` that could not be made yet.
struct WaitingSteps {
  /// By what they wait for: a row that is to give up its values, or a new object that is to be inserted (under its
  /// temporary ID).
  private var byObject: [ManagedObjectID: [WritingStep]] = [:]
  /// Steps whose reason to wait has gone; the next one comes last.
  private var released: [WritingStep] = []
  /// Steps whose values a row has that keeps them, and how many of them were taken.
  private var clashing: (steps: [WritingStep], taken: Int) = ([], 0)
  /// New objects that are not inserted yet, because they wait.
  private var insertions: Set<ManagedObjectID> = []
  /// The rows that the save has still to update, with the attributes; nil before the first clash.
  private var unwritten: [ManagedObjectID: [Int]]?
  /// Rows that were taken out of their table until their step comes, as they were.
  var takenOut: [ManagedObjectID: (values: [AttributeValue], version: Int64)] = [:]

  /// Whether a step has clashed so far.
  var hasBegun: Bool { unwritten != nil }

  mutating func begin(unwritten updates: [ChangeSet.Update]) {
    unwritten = Dictionary(updates.map { ($0.id, $0.edited) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether the save is still to write other values of some of these attributes to a row.
  func isToBeUpdated(_ row: ManagedObjectID, _ attributes: [Int]) -> Bool {
    unwritten?[row]?.contains(where: attributes.contains) ?? false
  }

  /// A new object that some values lead to, and which waits to be inserted; nil for none.
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

  /// The row has given up what it will give up, or the new object is inserted: who waited for it may try again.
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

  /// A row that others wait for, and which waits itself.
  var rowInCircle: ManagedObjectID? { byObject.keys.filter { !$0.isTemporary }.min { $0.key < $1.key } }
}
