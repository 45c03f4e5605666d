extension ManagedObject {
  /// The object that a to-one relationship leads to, possibly a fault; nil if the relationship is empty.
  ///
  /// Setting the relationship also updates its inverse.
  public final subscript<Destination: ManagedObject>(_ key: ToOneKey<Destination>) -> Destination? {
    get {
      guard let id = id(key) else { return nil }
      failWithoutContext("\(key.name) was")
      return context?.object(Destination.self, with: id)
    }
    set {
      newValue?.checkContext(is: context)
      setValue(newValue.map { .reference($0.id) } ?? .null, at: key.index)
    }
  }

  /// Returns the ID that a to-one relationship leads to, without creating an object; nil if the relationship
  /// is empty.
  public final func id<Destination>(_ key: ToOneKey<Destination>) -> ManagedObjectID? {
    if isFault { fire(reading: key.index) }
    if case .reference(let id) = knownValue(at: key.index) { return id }
    return nil
  }

  /// The objects that a to-many relationship leads to, oldest first, including unsaved changes.
  ///
  /// The first use reads the relationship; its objects can be faults. Setting it also updates its inverse. If
  /// the parent cannot be read, the relationship is empty and ``ManagedObjectContext/faultError`` is the
  /// error.
  public final subscript<Destination: ManagedObject>(_ key: ToManyKey<Destination>) -> [Destination] {
    get {
      guard let context, let relation = context.relation(key, of: self) else {
        if state.contains(.probe) {
          version = Int64(key.index)
        } else {
          failWithoutContext("\(key.name) was")
        }
        return []
      }
      return context.relatedIDs(of: current, relation).compactMap {
        context.object(Destination.self, with: $0)
      }
    }
    set {
      guard let context, let relation = context.relation(key, of: self) else { return }
      for object in newValue { object.checkContext(is: context) }
      context.replaceRelated(of: current, relation, with: newValue)
    }
  }

  /// Adds an object to a to-many relationship. The objects already in it need not be read, unless both ends lead
  /// to any number of objects.
  ///
  /// - Returns: False if the relationship contained it before.
  @discardableResult
  public final func add<Destination>(_ object: Destination, to key: ToManyKey<Destination>) -> Bool {
    guard let context, let relation = context.relation(key, of: self) else { return false }
    object.checkContext(is: context)
    return context.link(current, object.current, relation)
  }

  /// Removes an object from a to-many relationship, if the relationship contains it.
  public final func remove<Destination>(_ object: Destination, from key: ToManyKey<Destination>) {
    remove([object], from: key)
  }

  /// Removes objects from a to-many relationship, as far as the relationship contains them, with one query.
  public final func remove<Destination>(_ objects: [Destination], from key: ToManyKey<Destination>) {
    guard let context, let relation = context.relation(key, of: self) else { return }
    context.unlink(current, objects.map(\.id), relation)
  }

  /// Stops the program if the object belongs to another context, where its ID can be unknown or name another
  /// object.
  ///
  /// Objects without a context, which was released or reset, are not checked.
  final func checkContext(is wanted: ManagedObjectContext?) {
    guard let context, let wanted, context !== wanted else { return }
    preconditionFailure(
      "\(id) (\(Self.entityName)) belongs to the context “\(context.name)”, and was used in “\(wanted.name)”; "
        + "look it up there by its ID")
  }
}
