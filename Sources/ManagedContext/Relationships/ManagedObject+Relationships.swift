extension ManagedObject {
  /// The object at the other end of a to-one relationship, a fault perhaps; nil where it leads nowhere.
  ///
  /// Setting it changes what the inverse leads to as well.
  public final subscript<Destination: ManagedObject>(_ key: ToOneKey<Destination>) -> Destination? {
    get { id(key).flatMap { context?.object(Destination.self, with: $0) } }
    set { setValue(newValue.map { .reference($0.id) } ?? .null, at: key.index) }
  }

  /// The ID at the other end of a to-one relationship, without making an object; nil where it leads nowhere.
  public final func id<Destination>(_ key: ToOneKey<Destination>) -> ManagedObjectID? {
    if isFault { fire() }
    guard key.index < values.count, case .reference(let id) = values[key.index] else { return nil }
    return id
  }

  /// The objects that a to-many relationship leads to, unsaved changes included: in the order of their age.
  ///
  /// They are read when first asked for, as faults. Setting them changes what the inverse leads to. Where the parent
  /// cannot be read there are none, and ``ManagedObjectContext/faultError`` says why.
  public final subscript<Destination: ManagedObject>(_ key: ToManyKey<Destination>) -> [Destination] {
    get {
      guard let context, let relation = context.relation(key, of: self) else { return [] }
      return context.relatedIDs(of: self, relation).compactMap { context.object(Destination.self, with: $0) }
    }
    set {
      guard let context, let relation = context.relation(key, of: self) else { return }
      context.replaceRelated(of: self, relation, with: newValue)
    }
  }

  /// Adds an object to a to-many relationship, without reading what is there.
  public final func add<Destination>(_ object: Destination, to key: ToManyKey<Destination>) {
    guard let context, let relation = context.relation(key, of: self) else { return }
    context.link(self, object, relation)
  }

  /// Takes an object out of a to-many relationship; nothing happens when it is not in there.
  public final func remove<Destination>(_ object: Destination, from key: ToManyKey<Destination>) {
    guard let context, let relation = context.relation(key, of: self) else { return }
    context.unlink(self, [object.id], relation)
  }
}
