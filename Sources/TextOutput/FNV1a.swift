/// The hash FNV-1a in 64 bits (isthe.com/chongo/tech/comp/fnv). Stores and files contain its values.
public struct FNV1a: Hashable, Sendable {
  public var value: UInt64

  /// - Parameter start: The hash of no bytes.
  @inlinable
  public init(start: UInt64 = 0xCBF2_9CE4_8422_2325) {
    value = start
  }

  /// Hashes bytes.
  @inlinable
  public init(_ bytes: some Sequence<UInt8>) {
    self.init()
    for byte in bytes { add(byte) }
  }

  @inlinable
  public mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// The value in 16 hexadecimal digits.
  public var digits: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
