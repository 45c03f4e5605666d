extension ManagedObjectContext {
  /// Forgets unchanged objects that only this context holds, once there are many, so that memory does not
  /// grow with every read.
  ///
  /// Each round checks all objects. The next round runs when the object count has doubled, so the cost is a
  /// few instructions for each created object.
  ///
  /// - Parameter added: The number of objects that the caller may register, and holds until it returns.
  func releaseUnusedObjects(before added: Int = 0) {
    guard objects.count + added >= releaseThreshold else { return }
    for id in objects.unheldIDs() { objects[id] = nil }
    releaseThreshold = max(Self.leastReleaseThreshold, (objects.count + added) * 2)
  }

  static let leastReleaseThreshold = 20_000

  /// Forgets the unchanged objects that an object's relationships lead to, recursively, if only this context
  /// holds them.
  func forgetUnheldObjects(relatedTo object: ManagedObject) {
    var next = knownRelatedIDs(of: object)
    while let id = next.popLast() {
      guard objects.isUnheld(id), let unheld = objects.remove(id) else { continue }
      next += knownRelatedIDs(of: unheld)
    }
  }

  /// The related objects that the object knows without a query.
  private func knownRelatedIDs(of object: ManagedObject) -> [ManagedObjectID] {
    let toOne = model.references[Int(object.id.entity)].compactMap { attribute -> ManagedObjectID? in
      guard case .reference(let id) = object.knownValue(at: attribute) else { return nil }
      return id
    }
    return toOne + object.related.indices.flatMap { object.related[$0]?.ids ?? [] }
  }
}
