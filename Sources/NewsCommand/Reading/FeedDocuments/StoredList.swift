import Foundation

/// The lists of an article, which the store has as JSON arrays of texts or of flat objects.
enum StoredList {
  /// A value of an object.
  enum Value: Equatable {
    case text(String)
    case integer(Int)
    case real(Double)
    /// Any other value.
    case other
  }

  /// An element of an array.
  enum Element: Equatable {
    case text(String)
    case object([String: Value])
    /// Anything else.
    case other
  }

  /// Returns the texts of an array; none if it has other elements, or is no JSON.
  static func texts(_ json: Span<UInt8>) -> [String] {
    let elements = elements(json)
    let texts = elements.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return texts.count == elements.count ? texts : []
  }

  /// Returns the objects of an array; none if it has other elements, or is no JSON.
  static func objects(_ json: Span<UInt8>) -> [[String: Value]] {
    let elements = elements(json)
    let objects = elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
    return objects.count == elements.count ? objects : []
  }

  /// Returns the elements of an array; none if it is no JSON.
  static func elements(_ json: Span<UInt8>) -> [Element] {
    var reader = ListReader(json: json)
    if let elements = reader.elements() { return elements }
    return (value(json) as? [Any] ?? []).map { element in
      if let text = element as? String { return .text(text) }
      return (element as? [String: Any]).map { .object($0.mapValues(Value.init)) } ?? .other
    }
  }

  private static func value(_ json: Span<UInt8>) -> Any? {
    let text = json.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    return try? JSONSerialization.jsonObject(with: Data(text.utf8))
  }
}

extension StoredList.Value {
  fileprivate init(_ value: Any) {
    if let text = value as? String {
      self = .text(text)
    } else if let number = value as? Int {
      self = .integer(number)
    } else if let number = value as? Double {
      self = .real(number)
    } else {
      self = .other
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The value as a whole number.
  var integer: Int? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int(exactly: number)
    case .text, .other: nil
    }
  }

  /// The value as a number.
  var real: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .text, .other: nil
    }
  }
}

/// A reader of the JSON that this program writes, many times as fast as Foundation's. Anything unusual makes it return nil.
private struct ListReader {
  private let json: [UInt8]
  private var index = 0

  init(json: Span<UInt8>) {
    self.json = json.withUnsafeBufferPointer { Array($0) }
  }

  mutating func elements() -> [StoredList.Element]? {
    var elements: [StoredList.Element] = []
    guard take("[") else { return nil }
    if take("]") { return index == json.count ? elements : nil }
    repeat {
      guard index < json.count else { return nil }
      if json[index] == UInt8(ascii: "{") {
        guard let object = object() else { return nil }
        elements.append(.object(object))
      } else {
        guard let text = text() else { return nil }
        elements.append(.text(text))
      }
    } while take(",")
    return take("]") && index == json.count ? elements : nil
  }

  private mutating func object() -> [String: StoredList.Value]? {
    var object: [String: StoredList.Value] = [:]
    guard take("{") else { return nil }
    if take("}") { return object }
    repeat {
      guard let key = text(), take(":"), let value = value() else { return nil }
      guard object.updateValue(value, forKey: key) == nil else { return nil }
    } while take(",")
    return take("}") ? object : nil
  }

  private mutating func value() -> StoredList.Value? {
    guard index < json.count else { return nil }
    if json[index] == UInt8(ascii: "\"") { return text().map(StoredList.Value.text) }
    // Whole numbers that cannot overflow; all others are left to Foundation.
    let start = index
    var number = 0
    while index < json.count, (0x30...0x39).contains(json[index]), index - start < 18 {
      number = number * 10 + Int(json[index] & 15)
      index += 1
    }
    guard index > start, index < json.count,
      json[index] == UInt8(ascii: ",") || json[index] == UInt8(ascii: "}"),
      json[start] != UInt8(ascii: "0") || index == start + 1
    else { return nil }
    return .integer(number)
  }

  private mutating func text() -> String? {
    guard take("\"") else { return nil }
    let start = index
    while index < json.count, json[index] != UInt8(ascii: "\"") {
      guard json[index] >= 0x20, json[index] != UInt8(ascii: "\\") else { return escapedText(from: start) }
      index += 1
    }
    guard index < json.count, let text = String(validating: json[start..<index], as: UTF8.self) else {
      return nil
    }
    index += 1
    return text
  }

  /// Reads the rest of a string that has an escape at the current index.
  private mutating func escapedText(from start: Int) -> String? {
    var bytes = Array(json[start..<index])
    while index < json.count, json[index] >= 0x20 {
      let byte = json[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return String(validating: bytes, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard index < json.count else { return nil }
      switch json[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(json[index])
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      default: return nil
      }
      index += 1
    }
    return nil
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard index < json.count, json[index] == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }
}
