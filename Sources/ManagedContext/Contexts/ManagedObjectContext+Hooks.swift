extension ManagedObjectContext {
  /// The maximum number of rounds in which ``HookedObject/willSave()`` is called for one save. Each round has
  /// the objects that the previous one inserted or changed.
  public static var mostHookRounds: Int { 100 }

  /// Calls ``HookedObject/willSave()`` for all unsaved objects, until no call changes further ones.
  ///
  /// - Returns: The objects, oldest first within each round.
  /// - Throws: ``StoreError/request(_:)`` after ``mostHookRounds`` rounds, and the errors of delete rules.
  func callWillSave() throws(StoreError) -> [HookedObject] {
    var called: [HookedObject] = []
    guard !model.hooked.isEmpty else { return called }
    isCallingHooks = true
    defer { isCallingHooks = false }
    var known: Set<ObjectIdentifier> = []
    for _ in 0..<Self.mostHookRounds {
      let objects = unsavedHookedObjects { !known.contains(ObjectIdentifier($0)) }
      guard !objects.isEmpty else { return called }
      for object in objects {
        // An earlier call may have deleted a new object, which is then forgotten.
        guard hasChanges(in: object), known.insert(ObjectIdentifier(object)).inserted else { continue }
        called.append(object)
        object.willSave()
      }
      try applyDeleteRules()
    }
    let entity = called.last.map { model[$0.id.entity].name } ?? ""
    throw .request("willSave() of \(entity) changes other objects in more than \(Self.mostHookRounds) rounds")
  }

  /// Returns the violations that objects find in themselves.
  func violations(of objects: [HookedObject]) -> [ValidationError] {
    isCallingHooks = true
    defer { isCallingHooks = false }
    return objects.filter { !$0.isDeleted }.flatMap { $0.validate() }
  }

  /// Returns the unsaved objects with hooks, oldest first. An object with changes in pairs counts as unsaved.
  private func unsavedHookedObjects(_ isWanted: (ManagedObject) -> Bool) -> [HookedObject] {
    var found = model.hooked.flatMap { pending[$0].values }
    for end in pending.endsOfPairs where model.isHooked(end.entity) {
      if let object = object(with: end), !pending.contains(object) { found.append(object) }
    }
    // Temporary keys decrease with time, and row keys increase.
    return found.filter(isWanted).sorted { $0.id.key.magnitude < $1.id.key.magnitude }
      .compactMap { $0 as? HookedObject }
  }
}
