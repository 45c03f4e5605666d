public import Foundation

/// A type with raw values, such as an enumeration, is stored as its raw value. A raw value without a case is
/// unreadable.
///
/// ```swift
/// enum Kind: String, CaseIterable, AttributeConvertible { case book, map }
/// ```
extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
  public static var attributeType: AttributeType { RawValue.attributeType }
  public init?(attributeValue stored: AttributeValue) {
    guard let value = RawValue(attributeValue: stored) else { return nil }
    self.init(rawValue: value)
  }
  public var attributeValue: AttributeValue { rawValue.attributeValue }
}

extension AttributeConvertible where Self: CaseIterable {
  /// The first case. Declare an optional attribute if missing and unknown values must be distinguished from
  /// it.
  public static var placeholder: Self {
    guard let first = allCases.first else { preconditionFailure("\(Self.self) has no cases") }
    return first
  }
}

/// A UUID is stored as its 16 bytes.
extension UUID: AttributeConvertible {
  public static var attributeType: AttributeType { .bytes }
  /// The UUID with only zeros.
  public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public init?(attributeValue stored: AttributeValue) {
    guard case .bytes(let b) = stored, b.count == 16 else { return nil }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }
  public var attributeValue: AttributeValue { withUnsafeBytes(of: uuid) { .bytes(Array($0)) } }
}

extension Data: AttributeConvertible {
  public static var attributeType: AttributeType { .bytes }
  public static var placeholder: Data { Data() }
  public init?(attributeValue stored: AttributeValue) {
    guard case .bytes(let value) = stored else { return nil }
    self.init(value)
  }
  public var attributeValue: AttributeValue { .bytes(Array(self)) }
}

/// A URL is stored as its absolute text. A relative URL is absolute when it is read.
extension URL: AttributeConvertible {
  public static var attributeType: AttributeType { .text }
  /// The address `about:blank`.
  public static var placeholder: URL { URL(ascii: "about:blank") ?? URL(filePath: "/") }
  public init?(attributeValue stored: AttributeValue) {
    guard case .text(let value) = stored else { return nil }
    self.init(ascii: value)
  }
  public var attributeValue: AttributeValue { .text(absoluteString) }

  /// A URL's text is ASCII. To read another one, Foundation needs language data, which a program may lack.
  private init?(ascii text: String) {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(dataRepresentation: Data(text.utf8), relativeTo: nil)
  }
}

/// A decimal number is stored as a floating-point number, which stores compare, sort and add: 15 significant
/// digits are exact, and the property has the stored precision as soon as it is set. An attribute with more
/// digits is a text.
extension Decimal: AttributeConvertible {
  public static var attributeType: AttributeType { .real }
  public static var placeholder: Decimal { 0 }
  public init?(attributeValue stored: AttributeValue) {
    // The shortest text that identifies the number is the decimal number that was stored.
    guard let number = Double(attributeValue: stored), number.isFinite else { return nil }
    self.init(string: "\(number)")
  }
  public var attributeValue: AttributeValue { .real(Double("\(self)") ?? .nan) }
}
