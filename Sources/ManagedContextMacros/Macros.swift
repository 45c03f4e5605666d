#if Macros
  public import ManagedContext

  /// Makes a class an ``ManagedContext/Entity`` whose stored properties are its attributes and relationships.
  ///
  /// ```swift
  /// @Entity("book", unique: [["author", "title"]])
  /// final class Book: ManagedObject {
  ///   @Relationship(inverse: "books", isOptional: false) var author: Author?
  ///   var title: String
  ///   var pages = 0
  /// }
  /// ```
  ///
  /// The class must be final and derive from `ManagedObject` or `HookedObject`. The macro writes the class's
  /// `entityName`, its `Schema` and its `entity`, so classes with and without the macro can be in one model.
  ///
  /// - Parameters:
  ///   - name: The entity's name, which is also the table's in a SQL store; nil for the class's name.
  ///   - unique: The uniqueness constraints, each as the names of properties or columns. Null is never a
  ///     duplicate.
  ///   - indexes: The store's indexes for fetching, also as names. Relationships are indexed automatically.
  ///   - history: The values that the store's history keeps for the objects, besides their IDs.
  ///   - oldNames: All former names for the entity, because a store may have any older model version.
  @attached(member, names: named(init(_:)), named(entityName), named(Schema), named(entity))
  @attached(memberAttribute)
  @attached(extension, conformances: Entity)
  public macro Entity(
    _ name: String? = nil, unique: [[String]] = [], indexes: [[String]] = [],
    history: HistoryOptions = HistoryOptions(), renamedFrom oldNames: String...
  ) = #externalMacro(module: "ManagedContextMacrosPlugin", type: "EntityMacro")

  /// Names an attribute of an `@Entity` class. A stored property without this macro is an attribute too.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's in a SQL store; nil for the property's name.
  ///   - isOptional: True if the store may have no value although the type does not include nil. It then reads
  ///     as the type's placeholder.
  ///   - oldNames: All former names for the attribute, because a store may have any older model version.
  @attached(accessor)
  public macro Attribute(_ name: String? = nil, isOptional: Bool = false, renamedFrom oldNames: String...) =
    #externalMacro(module: "ManagedContextMacrosPlugin", type: "PropertyMacro")

  /// Names a date of an `@Entity` class, and the form in which a store keeps it.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's in a SQL store; nil for the property's name.
  ///   - form: The form of the dates.
  ///   - isOptional: True if the store may have no value although the type does not include nil.
  ///   - oldNames: All former names for the attribute.
  @attached(accessor)
  public macro Attribute(
    _ name: String? = nil, as form: DateForm, isOptional: Bool = false, renamedFrom oldNames: String...
  ) = #externalMacro(module: "ManagedContextMacrosPlugin", type: "PropertyMacro")

  /// Makes a property of an `@Entity` class a relationship: to at most one object (`Author?`), or to any number
  /// of objects (`[Book]`).
  ///
  /// - Parameters:
  ///   - name: The name in the store; nil for the property's name.
  ///   - inverse: The property that leads back. Only one end names the other. A relationship to at most one
  ///     object always does.
  ///   - rule: The effect on the related objects when this object is deleted.
  ///   - isOptional: False if the relationship must not be empty when the object is saved.
  ///   - table: The names that a many-to-many relationship has in the store; nil for names made of both ends.
  ///   - oldNames: All former names for the relationship.
  @attached(accessor)
  public macro Relationship(
    _ name: String? = nil, inverse: String? = nil, onDelete rule: DeleteRule = .nullify,
    isOptional: Bool = true, table: JoinTable? = nil, renamedFrom oldNames: String...
  ) = #externalMacro(module: "ManagedContextMacrosPlugin", type: "PropertyMacro")

  /// Makes a property of an `@Entity` class a relationship to at most one object that is read and written as the
  /// object's ID (`ManagedObjectID`, or an optional one).
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's in a SQL store; nil for the property's name.
  ///   - destination: The class of the related objects.
  ///   - inverse: The property that leads back; nil if none does. The related object then cannot be deleted before
  ///     the objects that refer to it.
  ///   - oldNames: All former names for the relationship.
  @attached(accessor)
  public macro Relationship(
    _ name: String? = nil, to destination: ManagedObject.Type, inverse: String? = nil,
    renamedFrom oldNames: String...
  ) = #externalMacro(module: "ManagedContextMacrosPlugin", type: "PropertyMacro")
#endif
