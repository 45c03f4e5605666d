import TextOutput

/// An article's lists, which the store has as JSON arrays of texts or of flat objects.
enum StoredList {
  enum Value: Equatable {
    case text(String)
    case integer(Int)
    case real(Double)
    /// Any other value.
    case other
  }

  enum Element: Equatable {
    case text(String)
    case object([String: Value])
    /// Anything else.
    case other
  }

  /// Returns an array's texts; empty if it has other elements, or is not JSON.
  static func texts(_ json: Span<UInt8>) -> [String] {
    let elements = elements(json)
    let texts = elements.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return texts.count == elements.count ? texts : []
  }

  /// Returns an array's objects; empty if it has other elements, or is not JSON.
  static func objects(_ json: Span<UInt8>) -> [[String: Value]] {
    let elements = elements(json)
    let objects = elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
    return objects.count == elements.count ? objects : []
  }

  /// Returns an array's elements; empty if it is not JSON.
  static func elements(_ json: Span<UInt8>) -> [Element] {
    var elements: [Element] = []
    JSONMembers.readArray(json) { element in
      switch element {
      case .string(let range, _): elements.append(.text(JSONMembers.unescaped(json, range)))
      case .nested(let range): elements.append(object(json.extracting(range)).map(Element.object) ?? .other)
      case .null, .bool, .number: elements.append(.other)
      }
    }
    return elements
  }

  /// Returns an object's members; nil for an array.
  private static func object(_ json: Span<UInt8>) -> [String: Value]? {
    var object: [String: Value] = [:]
    let mistake = JSONMembers.read(json) { key, value in
      object[JSONMembers.unescaped(json, key)] =
        switch value {
        case .string(let range, _): .text(JSONMembers.unescaped(json, range))
        case .number(let range): Value(number: JSONMembers.text(json, range))
        case .null, .bool, .nested: .other
        }
    }
    return mistake == nil ? object : nil
  }
}

extension StoredList.Value {
  fileprivate init(number text: String) {
    if let number = Int(text) ?? Double(text).flatMap(Int.init(exactly:)) {
      self = .integer(number)
    } else {
      self = Double(text).flatMap { $0.isFinite ? .real($0) : nil } ?? .other
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
