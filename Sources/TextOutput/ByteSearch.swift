extension UInt64 {
  /// Sets the high bit of the lowest byte, among the eight, that equals `byte`: the subtraction borrows
  /// there. Bits above it are undefined.
  @inlinable @inline(__always)
  public func marks(of byte: UInt8) -> UInt64 {
    let difference = self ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
  }
}

extension Span<UInt8> {
  /// Returns the index of the first byte from `start` on that `marks` marks, or nil.
  ///
  /// - Parameter marks: Sets the high bit in the first marked byte among eight. The first byte is the lowest
  ///   one.
  @inlinable @inline(__always)
  public func firstIndex(from start: Int, marks: (_ bytes: UInt64) -> UInt64) -> Int? {
    unsafe withUnsafeBytes { buffer in
      var index = start
      while buffer.count - index >= 8 {
        let bytes = unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let found = marks(bytes.littleEndian)
        if found != 0 { return index + found.trailingZeroBitCount / 8 }
        index += 8
      }
      while index < buffer.count {
        // The same byte, eight times.
        if unsafe marks(UInt64(buffer[index]) &* 0x0101_0101_0101_0101) != 0 { return index }
        index += 1
      }
      return nil
    }
  }
}
