/// A Swift type that an attribute of a managed object can have.
public protocol AttributeConvertible: Sendable {
  /// The attribute type that holds these values.
  static var attributeType: AttributeType { get }

  /// True if the type includes nil.
  static var isOptional: Bool { get }

  /// Creates a value from its stored form; nil if `stored` has another type.
  init?(attributeValue stored: AttributeValue)

  /// The value that replaces a missing or unreadable one, so that a row from a newer or foreign program never
  /// traps.
  static var placeholder: Self { get }

  /// The form in which contexts and stores keep this value.
  var attributeValue: AttributeValue { get }
}

extension AttributeConvertible {
  @inlinable public static var isOptional: Bool { false }
}

extension Int64: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .integer }
  @inlinable public static var placeholder: Int64 { 0 }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    guard case .integer(let value) = stored else { return nil }
    self = value
  }
  @inlinable public var attributeValue: AttributeValue { .integer(self) }
}

extension Int: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .integer }
  @inlinable public static var placeholder: Int { 0 }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    guard case .integer(let value) = stored else { return nil }
    self = Int(value)
  }
  @inlinable public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Bool: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .boolean }
  @inlinable public static var placeholder: Bool { false }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    guard case .integer(let value) = stored else { return nil }
    self = value != 0
  }
  @inlinable public var attributeValue: AttributeValue { .integer(self ? 1 : 0) }
}

extension Double: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .real }
  @inlinable public static var placeholder: Double { 0 }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    switch stored {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    default: return nil
    }
  }
  @inlinable public var attributeValue: AttributeValue { .real(self) }
}

extension String: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .text }
  @inlinable public static var placeholder: String { "" }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    guard case .text(let value) = stored else { return nil }
    self = value
  }
  @inlinable public var attributeValue: AttributeValue { .text(self) }
}

extension [UInt8]: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .bytes }
  @inlinable public static var placeholder: [UInt8] { [] }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    guard case .bytes(let value) = stored else { return nil }
    self = value
  }
  @inlinable public var attributeValue: AttributeValue { .bytes(self) }
}

extension ManagedObjectID: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .reference }
  @inlinable public static var placeholder: ManagedObjectID { .none }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    guard case .reference(let value) = stored else { return nil }
    self = value
  }
  @inlinable public var attributeValue: AttributeValue { .reference(self) }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }
  @inlinable public static var isOptional: Bool { true }
  @inlinable public static var placeholder: Wrapped? { nil }
  @inlinable public init?(attributeValue stored: AttributeValue) {
    if stored.isNull {
      self = .none
    } else if let value = Wrapped(attributeValue: stored) {
      self = value
    } else {
      return nil
    }
  }
  @inlinable public var attributeValue: AttributeValue { self?.attributeValue ?? .null }
}
