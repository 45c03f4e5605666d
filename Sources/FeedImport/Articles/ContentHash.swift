import CXXHash

/// The XXH3 hash (xxhash.com) of bytes in pieces; 64 bits, the same on every machine.
///
/// It finds edits and protects nothing: a publisher whose two texts collide only hides its own edit.
@safe
struct ContentHash: ~Copyable {
  private let state: UnsafeMutableRawPointer

  init() {
    guard let state = unsafe xxh3_create() else { fatalError("out of memory") }
    unsafe self.state = state
    reset()
  }

  deinit {
    unsafe xxh3_free(state)
  }

  mutating func reset() {
    unsafe xxh3_reset(state)
  }

  mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe xxh3_update(state, buffer.baseAddress, buffer.count)
    }
  }

  /// Adds a number: a field's length before its bytes, so that "ab", "c" differs from "a", "bc".
  mutating func update(_ number: Int64) {
    unsafe withUnsafeBytes(of: number.littleEndian) { buffer in
      unsafe xxh3_update(state, buffer.baseAddress, buffer.count)
    }
  }

  /// The hash of all bytes since the last ``reset()``.
  var value: Int64 {
    Int64(bitPattern: unsafe xxh3_digest(state))
  }

  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    unsafe bytes.withUnsafeBufferPointer { unsafe xxh3_hash($0.baseAddress, $0.count) }
  }
}

/// Returns the XXH3 hash of bytes.
package func contentHash(of bytes: [UInt8]) -> Int64 {
  var hash = ContentHash()
  hash.update(bytes.span)
  return hash.value
}
