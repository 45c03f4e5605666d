/// Keys as a JSON array, which a statement gets as one parameter (sqlite.org/json1.html#jeach).
struct KeyList {
  private var bytes: [UInt8] = []

  init(_ keys: some Sequence<Int64>) {
    for key in keys {
      bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
      bytes.append(decimal: key)
    }
    if bytes.isEmpty { bytes.append(UInt8(ascii: "[")) }
    bytes.append(UInt8(ascii: "]"))
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension [UInt8] {
  /// Appends a number in decimal digits.
  mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var (first, rest) = (count, number.magnitude)
    repeat {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    var last = count - 1
    while first < last {
      swapAt(first, last)
      (first, last) = (first + 1, last - 1)
    }
  }
}
