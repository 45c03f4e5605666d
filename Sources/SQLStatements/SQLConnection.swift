public import ManagedContext

/// A connection that runs the history and version statements, which are the same in all databases.
///
/// A text's parameters are `$1`, `$2` and so on, numbered in the order in which the text first names them.
public protocol SQLConnection {
  associatedtype Row: SQLRow

  static var dialect: SQLDialect { get }

  /// Runs a statement, and visits its rows.
  ///
  /// - Parameter visit: Receives each row, which can be read only during the call.
  func run(_ text: String, _ values: [SQLValue], _ visit: (Row) throws -> Void) throws

  /// Returns whether a table from ``HistoryTables`` exists.
  func hasTable(_ name: String) throws -> Bool

  /// Creates the consumer table unless it exists.
  func makeConsumers() throws

  /// Returns the newest transaction number, even if the transaction was purged; 0 before the first one.
  func newestTransaction() throws -> Int64

  /// Returns the condition for transactions that change followed entities.
  func isFollowed() throws -> String
}

extension SQLConnection {
  /// Runs a statement without rows.
  public func run(_ text: String, _ values: SQLValue...) throws { try run(text, values) { _ in } }

  /// Runs a statement, and returns the result of `read` for each row.
  public func rows<Value>(
    _ text: String, _ values: [SQLValue], _ read: (Row) throws -> Value
  ) throws -> [Value] {
    var found: [Value] = []
    try run(text, values) { found.append(try read($0)) }
    return found
  }

  /// Runs a statement, and returns the number in its first row; nil for null, or without a row.
  public func integer(_ text: String, _ values: SQLValue...) throws -> Int64? {
    try rows(text, values) { $0.integer(0) }.first ?? nil
  }
}

/// A parameter value.
public enum SQLValue: Sendable {
  case integer(Int64?)
  case real(Double)
  case text(String?)
  case bytes([UInt8])
  /// Numbers for ``SQLDialect/isAmong(_:_:)``.
  case integers([Int64])
}

/// A result row. Its values are read in place.
public protocol SQLRow {
  /// Returns a whole number; nil for null.
  func integer(_ column: Int) -> Int64?
  /// Returns a number with a fraction; nil for null.
  func real(_ column: Int) -> Double?
  /// Returns a text; nil for null.
  func text(_ column: Int) -> String?
  /// Returns bytes; nil for null.
  func bytes(_ column: Int) -> [UInt8]?
  /// Returns an attribute value. A reference is its row number.
  func value(_ column: Int, _ type: AttributeType) -> AttributeValue
  /// Calls `body` with a text's UTF-8; nil if the value is not a text.
  func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void)
}
