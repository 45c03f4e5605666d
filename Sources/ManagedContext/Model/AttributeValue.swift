import Foundation

/// An attribute's value, as contexts and stores exchange it.
///
/// Text is compared byte by byte. Canonically equivalent spellings (NFC and NFD) are different values,
/// because publishers' identifiers are bytes and a store's unique index compares bytes.
@frozen public enum AttributeValue: Sendable {
  /// No value.
  case null
  /// A whole number. Also represents a Boolean value (0 or 1).
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A date, in seconds since 2001-01-01 00:00 UTC (`Date.timeIntervalSinceReferenceDate`).
  case date(Double)
  /// Text.
  case text(String)
  /// Bytes without further interpretation.
  case bytes([UInt8])
  /// The object that a to-one relationship leads to.
  case reference(ManagedObjectID)

  /// True if this is ``null``.
  @inlinable
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// True if this is no number, which no store keeps.
  var isNaN: Bool {
    switch self {
    case .real(let number), .date(let number): number.isNaN
    default: false
    }
  }

  /// True if this is a ``reference(_:)``.
  var isReference: Bool {
    if case .reference = self { true } else { false }
  }

  /// True if the value refers to an object that was never saved.
  public var isTemporaryReference: Bool {
    if case .reference(let id) = self { id.isTemporary } else { false }
  }

  /// Returns a reference with another ID, and other values unchanged. The reference becomes null if `map`
  /// returns nil.
  public func mappingID(_ map: (ManagedObjectID) -> ManagedObjectID?) -> AttributeValue {
    guard case .reference(let id) = self else { return self }
    return map(id).map(AttributeValue.reference) ?? .null
  }
}

extension AttributeValue: CustomStringConvertible {
  /// The value as it appears in messages.
  public var description: String {
    switch self {
    case .null: "nothing"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .date(let seconds): "\(Date(timeIntervalSinceReferenceDate: seconds))"
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
    case (.real(let a), .real(let b)), (.date(let a), .date(let b)): a == b
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
    case .real(let value), .date(let value): hasher.combine(value)
    case .text(let value): value.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .bytes(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    }
  }
}

extension String {
  /// Returns true if both texts have the same UTF-8 bytes. To a store, canonically equivalent texts can
  /// differ.
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

  /// Calls `body` with the UTF-8 bytes in contiguous memory, which are many times faster to iterate than the
  /// view.
  fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }
}
