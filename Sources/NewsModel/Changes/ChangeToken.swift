public import ManagedContext

/// A position in the article changes: after a transaction, or after an event in it.
///
/// Its text is the text of a ``ManagedContext/HistoryToken``, with the event's number after a dot:
/// `4711.3-9f3ac2d1`.
public struct ChangeToken: Sendable, Equatable {
  /// The transaction.
  public let transaction: HistoryToken
  /// The number of the last event that was read in the transaction, from 1; nil after the whole transaction.
  public let position: Int?

  /// Creates a value.
  public init(_ transaction: HistoryToken, position: Int? = nil) {
    (self.transaction, self.position) = (transaction, position)
  }

  /// The beginning of the stored history.
  public static let start = ChangeToken(HistoryToken(0))

  /// The token in one word.
  public var text: String {
    guard let position else { return transaction.text }
    let (start, end) = Self.parts(of: transaction)
    return "\(start)\(position)\(end)"
  }

  /// Returns the text of tokens for a transaction's events, before and after the position.
  public static func parts(of transaction: HistoryToken) -> (start: String, end: String) {
    let text = transaction.text
    let check = text.utf8.firstIndex(of: UInt8(ascii: "-")) ?? text.endIndex
    return (text[..<check] + ".", String(text[check...]))
  }

  /// Reads a token's ``text``; nil for any other text. A token without a checksum could not be verified, so
  /// only 0 may lack it.
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
