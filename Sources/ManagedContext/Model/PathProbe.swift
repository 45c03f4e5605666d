internal import Threading

/// A member of a schema.
enum SchemaMember: Sendable {
  /// An attribute or a to-one relationship, by its index among the attributes.
  case column(Int)
  /// A to-many relationship, by its index among these.
  case toMany(Int)
}

/// Finds out which member of its schema an object's property is, by setting the property of a probe.
///
/// A computed property that uses a member has another key path, so it is not the member.
final class PathProbe: Sendable {
  @TaskLocal fileprivate static var current: PathProbe?

  private let wanted: any AnyKeyPath & Sendable
  private let found = Locked<SchemaMember?>(nil)

  private init(_ wanted: any AnyKeyPath & Sendable) { self.wanted = wanted }

  /// Returns the member at a key path of a class; nil if the property is no member of its schema.
  static func member<Object: Entity>(
    of type: Object.Type, at path: any AnyKeyPath & Sendable
  ) -> SchemaMember? {
    let probe = PathProbe(path)
    $current.withValue(probe) { setEmpty(path, of: ManagedObject.probe(Object.self)) }
    return probe.found.withLock { $0 }
  }

  /// Sets a property to a value that any type has.
  private static func setEmpty<Object>(_ path: AnyKeyPath, of object: Object) {
    func set<Value>(_ value: Value) {
      guard let path = path as? ReferenceWritableKeyPath<Object, Value> else { return }
      object[keyPath: path] = value
    }
    func setEmpty<Value: EmptyValue>(_: Value.Type) { set(Value.empty) }
    func setPlaceholder<Value: AttributeConvertible>(_: Value.Type) { set(Value.placeholder) }
    let type = Swift.type(of: path).valueType
    if let type = type as? any EmptyValue.Type {
      setEmpty(type)
    } else if let type = type as? any AttributeConvertible.Type {
      setPlaceholder(type)
    }
  }

  fileprivate func note(_ path: any AnyKeyPath & Sendable, _ member: SchemaMember) {
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

  private let find: @Sendable (any AnyKeyPath & Sendable) -> SchemaMember?
  private let known = Locked<[Key: SchemaMember?]>([:])

  init<Object: Entity>(_ type: Object.Type) {
    find = { PathProbe.member(of: Object.self, at: $0) }
  }

  /// Returns the member at a key path; nil if the property is no member of the schema.
  subscript(path: any AnyKeyPath & Sendable) -> SchemaMember? {
    let key = Key(path: path)
    if let known = known.withLock({ $0[key] }) { return known }
    let member = find(path)
    known.withLock { $0[key] = .some(member) }
    return member
  }
}
