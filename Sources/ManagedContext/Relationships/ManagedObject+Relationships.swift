#if DEBUG
  import Foundation
#endif

extension ManagedObject {
  /// The object at the other end of a to-one relationship, a fault perhaps; nil where it leads nowhere.
  ///
  /// Setting it changes what the inverse leads to as well.
  public final subscript<Destination: ManagedObject>(_ key: ToOneKey<Destination>) -> Destination? {
    get {
      guard let id = id(key) else { return nil }
      if context == nil { noteLostContext(key.name) }
      return context?.object(Destination.self, with: id)
    }
    set {
      newValue?.checkContext(is: context)
      setValue(newValue.map { .reference($0.id) } ?? .null, at: key.index)
    }
  }

  /// The ID at the other end of a to-one relationship, without making an object; nil where it leads nowhere.
  public final func id<Destination>(_ key: ToOneKey<Destination>) -> ManagedObjectID? {
    if isFault { fire(reading: key.index) }
    guard key.index < values.count, case .reference(let id) = values[key.index] else { return nil }
    return id
  }

  /// The objects that a to-many relationship leads to, unsaved changes included: in the order of their age.
  ///
  /// They are read when first asked for, as faults. Setting them changes what the inverse leads to. Where the parent
  /// cannot be read there are none, and ``ManagedObjectContext/faultError`` says why.
  public final subscript<Destination: ManagedObject>(_ key: ToManyKey<Destination>) -> [Destination] {
    get {
      guard let context, let relation = context.relation(key, of: self) else {
        if state.contains(.probe) { version = Int64(key.index) } else { noteLostContext(key.name) }
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

  /// Adds an object to a to-many relationship, without reading what is there.
  public final func add<Destination>(_ object: Destination, to key: ToManyKey<Destination>) {
    guard let context, let relation = context.relation(key, of: self) else { return }
    object.checkContext(is: context)
    context.link(current, object.current, relation)
  }

  /// Takes an object out of a to-many relationship; nothing happens when it is not in there.
  public final func remove<Destination>(_ object: Destination, from key: ToManyKey<Destination>) {
    guard let context, let relation = context.relation(key, of: self) else { return }
    context.unlink(current, [object.id], relation)
  }

  /// Says on stderr, in a debug build, that a relationship reads as nothing because there is nobody to ask.
  private func noteLostContext(_ relationship: String) {
    #if DEBUG
      guard context == nil else { return }
      let message =
        "ManagedContext: \(Self.entityName).\(relationship) of \(id) was read after its context was released or reset; "
        + "it reads as nothing\n"
      FileHandle.standardError.write(Data(message.utf8))
    #endif
  }

  /// Stops the program when the object lives in another context: its ID may mean nothing there, or another object.
  ///
  /// Nothing is checked of an object, or in one, whose context is gone or was reset.
  final func checkContext(is wanted: ManagedObjectContext?) {
    guard let context, let wanted, context !== wanted else { return }
    preconditionFailure(
      "\(id) (\(Self.entityName)) belongs to the context “\(context.name)”, and was used in “\(wanted.name)”; "
        + "look it up there by its ID")
  }
}
