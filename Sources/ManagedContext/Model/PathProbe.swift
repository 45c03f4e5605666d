internal import Threading

/// A member of a schema.
enum SchemaMember: Sendable {
  /// An attribute or a to-one relationship, by its index among the attributes.
  case column(Int)
  /// A to-many relationship, by its index among these.
  case toMany(Int)
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

  init(_ wanted: any AnyKeyPath & Sendable) { self.wanted = wanted }

  func note(_ path: any AnyKeyPath & Sendable, _ member: SchemaMember) {
    guard path as AnyKeyPath == wanted as AnyKeyPath else { return }
    found.withLock { $0 = member }
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

  /// Records, in a probe, that the property at a path is set.
  @usableFromInline
  final func isProbed(at path: any AnyKeyPath & Sendable, column index: Int) -> Bool {
    isProbed(at: path, .column(index))
  }

  /// Records, in a probe, that the property at a path is set.
  @usableFromInline
  final func isProbed(at path: any AnyKeyPath & Sendable, toMany index: Int) -> Bool {
    isProbed(at: path, .toMany(index))
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
}

extension Optional: EmptyValue {
  static var empty: Wrapped? { nil }
}

extension Array: EmptyValue {
  static var empty: [Element] { [] }
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
