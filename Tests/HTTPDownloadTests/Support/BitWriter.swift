/// Packs bits like deflate: numbers from their lowest bit, codes from their highest.
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  mutating func write(_ value: Int, count: Int) {
    for index in 0..<count { writeBit(value >> index & 1) }
  }

  mutating func writeCode(_ code: Int, count: Int) {
    for index in (0..<count).reversed() { writeBit(code >> index & 1) }
  }

  private mutating func writeBit(_ bit: Int) {
    if count % 8 == 0 { bytes.append(0) }
    bytes[bytes.count - 1] |= UInt8(bit << (count % 8))
    count += 1
  }
}
