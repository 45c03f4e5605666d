/// A position in a store's history: the last transaction that was read.
///
/// Numbers increase with each transaction. A program can store the token between runs, as ``text`` or
/// encoded, and continue from there. The ``check`` distinguishes transactions with the same number in
/// different files.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The transaction's number in its store; 0 for the beginning of the kept history.
  public let number: Int64
  /// A checksum of the transaction in its store; nil if the token is not verified.
  public let check: UInt32?

  /// Creates the token for a stored number. Without a checksum, the store does not verify it.
  public init(_ number: Int64, check: UInt32? = nil) {
    (self.number, self.check) = (number, check)
  }
}

extension HistoryToken: Comparable {
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    // In one store, tokens with the same number have the same checksum. The order between stores is
    // arbitrary.
    left.number != right.number
      ? left.number < right.number : left.check.map(Int64.init) ?? -1 < right.check.map(Int64.init) ?? -1
  }
}

extension HistoryToken {
  /// The token in one word: `4711-9f3ac2d1`, or only the number if the token has no checksum.
  public var text: String {
    guard let check else { return String(number) }
    let digits = String(check, radix: 16)
    return "\(number)-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }

  /// Reads a token's ``text``; nil if it is another text.
  public init?(text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    // The integer initializers also accept a sign.
    guard parts.count <= 2, let first = parts.first, first.first.map(Self.isDigit) ?? false,
      let number = Int64(String(first) ?? "")
    else { return nil }
    guard let last = parts.dropFirst().first else {
      self.init(number)
      return
    }
    guard last.count == 8, last.first != UInt8(ascii: "+"), let check = UInt32(String(last) ?? "", radix: 16)
    else { return nil }
    self.init(number, check: check)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension HistoryToken {
  /// Creates a transaction's token, with an FNV-1a hash that identifies it among a program's stores.
  ///
  /// - Parameters:
  ///   - number: The transaction's number in its store.
  ///   - process: A random number for the process that wrote it.
  ///   - date: The transaction's time, in seconds since 1970.
  public init(_ number: Int64, process: Int64, date: Double) {
    var hash: UInt32 = 2_166_136_261
    for word in [UInt64(bitPattern: number), UInt64(bitPattern: process), date.bitPattern] {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        hash = (hash ^ UInt32(truncatingIfNeeded: word >> shift & 0xFF)) &* 16_777_619
      }
    }
    self.init(number, check: hash)
  }
}

/// The reason why a store cannot continue from a ``HistoryToken``. Changes may have been missed.
public enum HistoryTokenError: Error, Sendable, Equatable {
  /// The token belongs to another store, or the store was restored from a backup after the token was read.
  ///
  /// - Parameter oldest: The token of the oldest transaction that the store keeps; nil if the history is
  ///   empty.
  case foreign(oldest: HistoryToken?)
  /// The store has deleted the token's transaction, and perhaps later ones.
  ///
  /// - Parameter oldest: The token of the oldest transaction that the store keeps; nil if the history is
  ///   empty.
  case purged(oldest: HistoryToken?)

  /// The token of the oldest transaction that the store keeps; nil if the history is empty.
  public var oldest: HistoryToken? {
    switch self {
    case .foreign(let oldest), .purged(let oldest): oldest
    }
  }
}

extension HistoryTokenError: CustomStringConvertible {
  public var description: String {
    let place = oldest.map { "the oldest valid token is \($0.text)" } ?? "the history is empty"
    return switch self {
    case .foreign:
      "the token belongs to another store, or the store was restored from a backup; \(place)"
    case .purged: "the history no longer contains the token's transaction; \(place)"
    }
  }
}
