import Foundation

/// One value of one attribute, as it travels between contexts and stores.
///
/// Text compares byte by byte: two spellings that Unicode calls equivalent (NFC and NFD) are different values
/// here, because publishers' identifiers are bytes and a store's unique index compares bytes.
@frozen public enum AttributeValue: Sendable {
  /// No value.
  case null
  /// A whole number; also a truth value (0 or 1) and a date in whole seconds since 1970.
  case integer(Int64)
  /// A floating-point number; also a date with a fraction, in seconds since 1970.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes without a meaning of their own.
  case bytes([UInt8])
  /// The object at the other end of a to-one relationship.
  case reference(ManagedObjectID)

  /// Whether this is ``null``.
  @inlinable
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Whether this is a ``reference(_:)``.
  var isReference: Bool {
    if case .reference = self { true } else { false }
  }
}

extension AttributeValue: CustomStringConvertible {
  /// The value as messages show it.
  public var description: String {
    switch self {
    case .null: "nothing"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "“\(value)”"
    case .bytes(let value): "\(value.count) bytes"
    case .reference(let id): "\(id)"
    }
  }
}

extension AttributeValue: Hashable {
  public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .text(let value): value.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .bytes(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    }
  }
}

extension String {
  /// Whether both are the same bytes of UTF-8: to a store, texts that only read the same are two.
  func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && withBytes { own in other.withBytes { Self.areEqual(own, $0) } }
  }

  private static func areEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool
  {
    guard let start = one.baseAddress, let otherStart = other.baseAddress, start != otherStart else {
      return one.count == other.count
    }
    return memcmp(start, otherStart, one.count) == 0
  }

  /// The bytes side by side in memory: many times faster to walk through than the view of them.
  fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }
}
