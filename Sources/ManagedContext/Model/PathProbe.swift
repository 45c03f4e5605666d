internal import Threading

/// A member of a schema.
enum SchemaMember: Sendable {
  /// An attribute or a to-one relationship, by its index among the attributes.
  case column(Int)
  /// A to-many relationship, by its index among these.
  case toMany(Int)
  /// An attribute of the object that a to-one relationship leads to.
  case related(AttributePlace)
}

/// An attribute of an object, or of a related object, by index.
@usableFromInline
struct AttributePlace: Sendable {
  var attribute: Int
  /// The to-one relationship, by its attribute's index; nil for the object's own attribute.
  var through: Int?
}

/// A key path to an object's property, which can find out which member of a schema the property is.
struct PropertyPath<Object: ManagedObject>: Sendable {
  let path: any PartialKeyPath<Object> & Sendable
  /// Sets the property, if it can be set, to a value without contents.
  private let setEmpty: @Sendable (Object) -> Void

  // The value's type is known here. Looking up its conformances later would take a millisecond.

  init<Value: AttributeConvertible>(_ path: any KeyPath<Object, Value> & Sendable) {
    self.init(path, Value.placeholder)
  }

  init<Other: ManagedObject>(toOne path: any KeyPath<Object, Other?> & Sendable) { self.init(path, nil) }

  init<Other: ManagedObject>(toMany path: any KeyPath<Object, [Other]> & Sendable) { self.init(path, []) }

  private init<Value>(
    _ path: any KeyPath<Object, Value> & Sendable, _ empty: @autoclosure @escaping @Sendable () -> Value
  ) {
    self.path = path
    setEmpty = { object in
      guard let path = path as? ReferenceWritableKeyPath<Object, Value> else { return }
      object[keyPath: path] = empty()
    }
  }

  /// Creates a path to a relationship whose type is not known.
  init(relationship path: any PartialKeyPath<Object> & Sendable) {
    self.path = path
    setEmpty = { object in
      func set<Value: EmptyValue>(_: Value.Type) {
        guard let path = path as? ReferenceWritableKeyPath<Object, Value> else { return }
        object[keyPath: path] = Value.empty
      }
      if let type = type(of: path as AnyKeyPath).valueType as? any EmptyValue.Type { set(type) }
    }
  }

  /// The error for a path that leads to no member of an entity.
  func unknown(in entity: EntityDescription) -> StoreError {
    // A key path has no name for a computed property: Swift describes it by an address.
    let name = "<property of type \(type(of: path as AnyKeyPath).valueType)>"
    return .validation(ValidationError(entity: entity.name, attribute: name, cause: .notStored))
  }

  /// Returns the member of the schema at the path; nil if the property is no member.
  ///
  /// The property of a probe is set. A computed property that uses a member has another key path, so it is not
  /// the member.
  func member() -> SchemaMember? {
    let probe = PathProbe(path)
    PathProbe.$current.withValue(probe) { setEmpty(ManagedObject.probe(Object.self)) }
    return probe.found.withLock { $0 }
  }
}

/// Records that the property at a path is set.
private final class PathProbe: Sendable {
  @TaskLocal static var current: PathProbe?

  let wanted: any AnyKeyPath & Sendable
  let found = Locked<SchemaMember?>(nil)
  /// The relationship that was read, by its attribute's index, with the function that extends its path.
  private let walked = Locked<(through: Int, extend: Extension)?>(nil)
  typealias Extension = @Sendable (_ property: AnyKeyPath) -> AnyKeyPath?

  init(_ wanted: any AnyKeyPath & Sendable) { self.wanted = wanted }

  func note(_ path: any AnyKeyPath & Sendable, _ member: SchemaMember) {
    if path as AnyKeyPath == wanted as AnyKeyPath { return found.withLock { $0 = member } }
    guard case .column(let attribute) = member, let walked = walked.withLock({ $0 }),
      walked.extend(path as AnyKeyPath) == wanted as AnyKeyPath
    else { return }
    found.withLock { $0 = .related(AttributePlace(attribute: attribute, through: walked.through)) }
  }

  func noteWalk(through attribute: Int, _ extend: @escaping Extension) {
    walked.withLock { $0 = (attribute, extend) }
  }
}

extension ManagedObject {
  /// Returns an object that records which property is used, instead of having values.
  static func probe<Object: ManagedObject>(_ type: Object.Type) -> Object {
    let probe = type.init(
      ManagedObjectSeed(id: .none, context: nil, values: [], version: -1, isFault: true))
    probe.state = .probe
    return probe
  }

  /// For the properties that `@Entity` writes: records that a request looks up the attribute or to-one
  /// relationship that the property at `path` is.
  ///
  /// - Returns: False unless a request does. The property then sets its value as usual.
  public final func isProbed(at path: any AnyKeyPath & Sendable, column index: Int) -> Bool {
    isProbed(at: path, .column(index))
  }

  /// The same for a to-many relationship, by its index among these.
  public final func isProbed(at path: any AnyKeyPath & Sendable, toMany index: Int) -> Bool {
    isProbed(at: path, .toMany(index))
  }

  /// For the properties that `@Entity` writes: records that a request follows the to-one relationship at `path`.
  ///
  /// - Returns: An object without values; nil unless a request looks up a path through the relationship.
  public final func related<Object: ManagedObject, Destination: ManagedObject>(
    at path: any KeyPath<Object, Destination?> & Sendable, column index: Int
  ) -> Destination? {
    guard state.contains(.probe), let current = PathProbe.current else { return nil }
    current.noteWalk(through: index) { property in
      (path.appending(path: \Destination?.!) as AnyKeyPath).appending(path: property)
    }
    return ManagedObject.probe(Destination.self)
  }

  private func isProbed(at path: any AnyKeyPath & Sendable, _ member: SchemaMember) -> Bool {
    guard state.contains(.probe) else { return false }
    PathProbe.current?.note(path, member)
    return true
  }
}

/// A type with a value that has no contents.
private protocol EmptyValue {
  static var empty: Self { get }
  /// The path to the value inside an optional; nil for other types.
  static var unwrapping: AnyKeyPath? { get }
}

extension Optional: EmptyValue {
  static var empty: Wrapped? { nil }
  static var unwrapping: AnyKeyPath? { \Wrapped?.! }
}

extension Array: EmptyValue {
  static var empty: [Element] { [] }
  static var unwrapping: AnyKeyPath? { nil }
}

extension RelationshipDescription {
  /// Returns the path through the relationship to a property of its object, such as `\Book.author!.name`; nil
  /// without a path to the relationship.
  func path(to property: any AnyKeyPath & Sendable) -> AnyKeyPath? {
    guard let path = path as AnyKeyPath?, let type = type(of: path).valueType as? any EmptyValue.Type,
      let unwrapping = type.unwrapping
    else { return nil }
    return path.appending(path: unwrapping)?.appending(path: property as AnyKeyPath)
  }
}

/// The members of a schema, by the key paths of an object's properties.
final class SchemaPaths: Sendable {
  /// A key path that can be in a dictionary.
  private struct Key: Hashable, Sendable {
    let path: any AnyKeyPath & Sendable

    static func == (left: Key, right: Key) -> Bool { left.path as AnyKeyPath == right.path as AnyKeyPath }

    func hash(into hasher: inout Hasher) { (path as AnyKeyPath).hash(into: &hasher) }
  }

  private let known = Locked<[Key: SchemaMember?]>([:])

  /// Returns the member at a key path; nil if the property is no member of the schema.
  func member<Object: ManagedObject>(at path: PropertyPath<Object>) -> SchemaMember? {
    let key = Key(path: path.path)
    if let known = known.withLock({ $0[key] }) { return known }
    let member = path.member()
    known.withLock { $0[key] = .some(member) }
    return member
  }
}
