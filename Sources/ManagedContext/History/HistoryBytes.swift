/// Writes an encoded transaction's numbers, texts and values.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends a value: its kind, and its contents.
  mutating func append(_ value: AttributeValue) {
    switch value {
    case .null: append(ValueKind.null.rawValue)
    case .integer(let number):
      append(ValueKind.integer.rawValue)
      append(UInt64(bitPattern: number))
    case .real(let number):
      append(ValueKind.real.rawValue)
      append(number.bitPattern)
    case .date(let seconds):
      append(ValueKind.date.rawValue)
      append(seconds.bitPattern)
    case .text(let text):
      append(ValueKind.text.rawValue)
      append(text)
    case .bytes(let content):
      append(ValueKind.bytes.rawValue)
      append(UInt64(content.count))
      bytes.append(contentsOf: content)
    case .reference(let id):
      append(ValueKind.reference.rawValue)
      append(UInt64(bitPattern: id.key))
    }
  }

  /// - Parameter keys: The keys in ascending order.
  mutating func append(keys: [Int64]) {
    append(UInt64(keys.count))
    var previous: Int64 = 0
    for key in keys {
      append(UInt64(bitPattern: key &- previous))
      previous = key
    }
  }

  /// Appends the name and the bit for each attribute in a set; the last bit may represent several attributes.
  mutating func append(attributes: AttributeSet, of entity: EntityDescription) {
    let named = entity.attributes.enumerated().filter { attributes.contains(AttributeSet(index: $0.offset)) }
    append(UInt64(named.count))
    for (index, attribute) in named {
      append(UInt64(min(index, 63)))
      append(attribute.name)
    }
  }
}

/// Reads a ``ByteWriter``'s output. Invalid bytes are safe.
struct ByteReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number() throws(HistoryEncoding.Damaged) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard place < bytes.count else { throw HistoryEncoding.Damaged() }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw HistoryEncoding.Damaged()
  }

  mutating func text() throws(HistoryEncoding.Damaged) -> String {
    String(decoding: try content(), as: UTF8.self)
  }

  /// Reads a byte count, and the bytes.
  private mutating func content() throws(HistoryEncoding.Damaged) -> ArraySlice<UInt8> {
    let count = try number()
    guard count <= bytes.count - place else { throw HistoryEncoding.Damaged() }
    defer { place += Int(count) }
    return bytes[place..<place + Int(count)]
  }

  /// Reads a value.
  ///
  /// - Parameter reference: Returns the value for a referenced row's key.
  mutating func value(
    reference: (Int64) -> AttributeValue
  ) throws(HistoryEncoding.Damaged) -> AttributeValue {
    switch ValueKind(rawValue: try number()) {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: try number()))
    case .real: return .real(Double(bitPattern: try number()))
    case .date: return .date(Double(bitPattern: try number()))
    case .text: return .text(try text())
    case .bytes: return .bytes(Array(try content()))
    case .reference: return reference(Int64(bitPattern: try number()))
    case nil: throw HistoryEncoding.Damaged()
    }
  }

  mutating func keys() throws(HistoryEncoding.Damaged) -> [Int64] {
    let count = try number()
    // Each key takes at least one byte, so a damaged count cannot cause a large allocation.
    guard count <= bytes.count - place else { throw HistoryEncoding.Damaged() }
    var keys: [Int64] = []
    keys.reserveCapacity(Int(count))
    var previous: Int64 = 0
    for _ in 0..<count {
      previous &+= Int64(bitPattern: try number())
      keys.append(previous)
    }
    return keys
  }

  /// Reads each bit's meaning: the attributes that it represents in the current entity.
  mutating func attributes(
    of entity: EntityDescription?
  ) throws(HistoryEncoding.Damaged) -> [AttributeSet] {
    var sets = [AttributeSet](repeating: [], count: 64)
    for _ in 0..<(try number()) {
      let bit = try number()
      let name = try text()
      guard bit < 64 else { throw HistoryEncoding.Damaged() }
      if let index = entity?.attributeIndex(ofHistoric: name) {
        sets[Int(bit)].formUnion(AttributeSet(index: index))
      }
    }
    return sets
  }
}

/// The kinds of encoded values; the numbers are part of the format.
private enum ValueKind: UInt64 {
  case null, integer, real, text, bytes, reference, date
}
