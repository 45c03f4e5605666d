import CXXHash

/// XXH3 of bytes that come in pieces (xxhash.com); 64 bits, the same on every machine.
///
/// It finds edits, it keeps no secrets: whoever can make two texts with one hash only hides an edit of their own.
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

  /// Begins anew.
  mutating func reset() {
    unsafe xxh3_reset(state)
  }

  /// Takes the next bytes in.
  mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe xxh3_update(state, buffer.baseAddress, buffer.count)
    }
  }

  /// Takes a number in: the length of a field before its bytes, so that "ab", "c" differs from "a", "bc".
  mutating func update(_ number: Int64) {
    unsafe withUnsafeBytes(of: number.littleEndian) { buffer in
      unsafe xxh3_update(state, buffer.baseAddress, buffer.count)
    }
  }

  /// The hash of what was taken in since the last ``reset()``.
  var value: Int64 {
    Int64(bitPattern: unsafe xxh3_digest(state))
  }

  /// The hash of some bytes at once.
  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    unsafe bytes.withUnsafeBufferPointer { unsafe xxh3_hash($0.baseAddress, $0.count) }
  }
}
