/// A managed object whose class takes part in insertions, deletions and saves.
///
/// A class that needs a hook derives from this class instead of ``ManagedObject``, and overrides it. Contexts
/// call no hook for other classes, so that these pay nothing.
///
/// ```swift
/// final class Invoice: HookedObject, Entity {
///   override func validate() -> [ValidationError] {
///     self.amount > 0 ? [] : [violation("positive amount", of: \.amount)]
///   }
///   …
/// }
/// ```
///
/// Hooks run on the context's queue. No hook is called for rows that are written without objects: batches
/// (``RowBatch``), ``ManagedObjectContext/updateAll(_:where:set:)`` and
/// ``ManagedObjectContext/deleteAll(_:where:)``.
open class HookedObject: ManagedObject {
  /// Called once in the object's life, in the context that inserts it, before
  /// ``ManagedObjectContext/insert(_:)-(Object.Type)`` returns.
  ///
  /// The attributes have their default values. An override sets values that the model cannot state, such as
  /// the date.
  open func awakeFromInsert() {}

  /// Called when the object is deleted in a context, also by a delete rule.
  ///
  /// The object's relationships still lead to the related objects. A context calls it again if a child saves
  /// the deletion to it.
  open func prepareForDeletion() {}

  /// Called before a save writes, updates or deletes the object, or pairs of its many-to-many relationships.
  ///
  /// It may change, insert and delete objects, which the same save then writes. A save calls it once for each
  /// object, however often the object is edited, and also for objects that other calls have changed. If these
  /// insert further objects without end, the save fails after ``ManagedObjectContext/mostHookRounds`` rounds.
  ///
  /// It cannot save the context, which throws ``StoreError/request(_:)``. The edits stay if the save fails,
  /// and the next save calls it again. A save from a child context to its parent calls it in the child, and
  /// the parent's save calls it again.
  open func willSave() {}

  /// Called after a save has succeeded, for each object that ``willSave()`` was called for.
  ///
  /// ``ManagedObject/isGone`` is true if the save deleted the object. Changes belong to the next save. It is
  /// not called if the context was reset during the save.
  open func didSave() {}

  /// Returns the rules that the object breaks. A save calls it for new and changed objects after all
  /// ``willSave()`` calls, and is refused if any object breaks a rule.
  ///
  /// The error has the violations of all objects (``StoreError/violations``), together with violations of the
  /// model. The context keeps its changes, and a save after their correction succeeds.
  ///
  /// It must not change objects: changes during the check are saved unchecked. The default implementation
  /// returns no violations.
  open func validate() -> [ValidationError] { [] }
}

extension HookedObject {
  /// Returns a violation that concerns the whole object.
  ///
  /// - Parameter rule: The rule's name or its words, which appear in messages.
  public final func violation(_ rule: String) -> ValidationError {
    ValidationError(entity: Self.entityName, object: id, cause: .rule(rule))
  }
}

extension Entity where Self: HookedObject {
  /// Returns a violation that concerns an attribute or relationship.
  ///
  /// - Parameters:
  ///   - rule: The rule's name or its words, which appear in messages.
  ///   - property: The property.
  public func violation(
    _ rule: String, of property: KeyPath<Schema, some SchemaProperty>
  ) -> ValidationError {
    ValidationError(
      entity: Self.entityName, attribute: Self.schema[keyPath: property].name, object: id, cause: .rule(rule))
  }
}
