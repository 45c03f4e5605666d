extension ManagedObjectContext {
  /// Forgets unchanged objects that nobody else holds, once there are many: nobody can tell, and memory does not grow
  /// with what was ever read.
  ///
  /// Each round looks at all objects, and the next one comes when there are twice as many as were left: the cost is
  /// a few instructions for each object that is made.
  func releaseUnusedObjects() {
    guard objects.count >= releaseThreshold else { return }
    var unused: [ManagedObjectID] = []
    // Not `for … in objects.indices`: that holds the dictionary, and with it every object, a second time.
    var index = objects.startIndex
    while index != objects.endIndex {
      if isKnownUniquelyReferenced(&objects.values[index]) { unused.append(objects[index].key) }
      objects.formIndex(after: &index)
    }
    for id in unused { objects[id] = nil }
    releaseThreshold = max(Self.leastReleaseThreshold, objects.count * 2)
  }

  static let leastReleaseThreshold = 20_000

  /// Forgets the unchanged objects that relationships of an object lead to, and what those lead to in turn, where nobody
  /// else holds them: as if they had been read for a walk that is over.
  func forgetUnheldObjects(relatedTo object: ManagedObject) {
    var next = knownRelatedIDs(of: object)
    while let id = next.popLast() {
      guard let place = objects.index(forKey: id), isKnownUniquelyReferenced(&objects.values[place]) else {
        continue
      }
      let unheld = objects.remove(at: place).value
      next += knownRelatedIDs(of: unheld)
    }
  }

  /// The objects that relationships lead to, as far as the object knows without asking.
  private func knownRelatedIDs(of object: ManagedObject) -> [ManagedObjectID] {
    let toOne = model.references[Int(object.id.entity)].compactMap { attribute -> ManagedObjectID? in
      guard attribute < object.values.count, case .reference(let id) = object.values[attribute] else {
        return nil
      }
      return id
    }
    return toOne + object.related.indices.flatMap { object.related[$0]?.ids ?? [] }
  }
}
