/// The permanent IDs of objects that were known under temporary ones, so that an ID that was handed on early still
/// finds its object.
///
/// The newest 50,000 at least are kept: memory does not grow with the number of saves. What many saves bring
/// together is kept as it comes, because to copy it would hold up the main queue.
struct PermanentIDs {
  /// Oldest first; small additions are gathered in the last one.
  private var parts: [[ManagedObjectID: ManagedObjectID]] = []
  private var count = 0
  private static let kept = 50_000
  private static let partSize = 2000

  var isEmpty: Bool { parts.isEmpty }

  /// The permanent ID where one is known, else the ID itself.
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
