public import ManagedContext

/// A position in the changes of articles: after a transaction, or after one of its events.
///
/// Its text is that of a ``ManagedContext/HistoryToken``, with the number of the event after a dot: `4711.3-9f3ac2d1`.
public struct ChangeToken: Sendable, Equatable {
  /// The transaction.
  public let transaction: HistoryToken
  /// The number of the last event of the transaction that was read, from 1; nil after the whole transaction.
  public let position: Int?

  /// Creates a value.
  public init(_ transaction: HistoryToken, position: Int? = nil) {
    (self.transaction, self.position) = (transaction, position)
  }

  /// The beginning of what the store keeps.
  public static let start = ChangeToken(HistoryToken(0))

  /// The token in one word.
  public var text: String {
    guard let position else { return transaction.text }
    let (start, end) = Self.parts(of: transaction)
    return "\(start)\(position)\(end)"
  }

  /// The text of the tokens of a transaction's events, before and after the position.
  public static func parts(of transaction: HistoryToken) -> (start: String, end: String) {
    let text = transaction.text
    let check = text.utf8.firstIndex(of: UInt8(ascii: "-")) ?? text.endIndex
    return (text[..<check] + ".", String(text[check...]))
  }

  /// Reads the ``text`` of a token; nil if it is another text. A token without a checksum would not be verified, so only 0 may
  /// lack it.
  public init?(text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      guard let token = HistoryToken(text: text), token.check != nil || token.number == 0 else { return nil }
      self.init(token)
      return
    }
    let check = parts[1].firstIndex(of: UInt8(ascii: "-")) ?? parts[1].endIndex
    let digits = parts[1][..<check]
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let position = Int(String(decoding: Array(digits), as: UTF8.self)),
      let token = HistoryToken(
        text: String(decoding: Array(parts[0]) + Array(parts[1][check...]), as: UTF8.self)),
      token.check != nil
    else { return nil }
    self.init(token, position: position)
  }
}
