/// Maps former temporary IDs to permanent IDs, so that an ID passed on early still finds its object.
///
/// At least the newest 50,000 are kept, so memory does not grow with each save. Large additions are kept as
/// they are, because copying them would delay the main queue.
struct PermanentIDs {
  /// The additions, oldest first. Small additions are combined in the last one.
  private var parts: [[ManagedObjectID: ManagedObjectID]] = []
  private var count = 0
  private static let kept = 50_000
  private static let partSize = 2000

  var isEmpty: Bool { parts.isEmpty }

  /// The permanent ID if one is known, otherwise the ID itself.
  subscript(id: ManagedObjectID) -> ManagedObjectID {
    guard id.isTemporary else { return id }
    for part in parts.reversed() {
      if let permanent = part[id] { return permanent }
    }
    return id
  }

  mutating func add(_ more: [ManagedObjectID: ManagedObjectID]) {
    guard !more.isEmpty else { return }
    if let last = parts.indices.last, parts[last].count + more.count <= Self.partSize {
      let before = parts[last].count
      parts[last].merge(more) { $1 }
      count += parts[last].count - before
    } else {
      parts.append(more)
      count += more.count
    }
    while let oldest = parts.first, count - oldest.count >= Self.kept {
      count -= oldest.count
      parts.removeFirst()
    }
  }
}
