package import ManagedContext

/// A connection that runs the statements of history and versions, which are the same in all databases.
///
/// The parameters of a text are `$1`, `$2` and so on, numbered in the order in which the text first names them.
package protocol SQLConnection {
  associatedtype Row: SQLRow

  static var dialect: SQLDialect { get }

  /// Runs a statement, and visits its rows.
  ///
  /// - Parameter visit: Receives each row, which can be read only during the call.
  func run(_ text: String, _ values: [SQLValue], _ visit: (Row) throws -> Void) throws

  /// Returns whether a table of ``HistoryTables`` exists.
  func hasTable(_ name: String) throws -> Bool

  /// Creates the table of consumers unless it exists.
  func makeConsumers() throws

  /// Returns the number of the newest transaction, even if it was purged; 0 before the first one.
  func newestTransaction() throws -> Int64

  /// Returns the condition for transactions with changes of followed entities.
  func isFollowed() throws -> String
}

extension SQLConnection {
  /// Runs a statement without rows.
  func run(_ text: String, _ values: SQLValue...) throws { try run(text, values) { _ in } }

  /// Runs a statement, and returns what `read` makes of its rows.
  func rows<Value>(
    _ text: String, _ values: [SQLValue], _ read: (Row) throws -> Value
  ) throws -> [Value] {
    var found: [Value] = []
    try run(text, values) { found.append(try read($0)) }
    return found
  }

  /// Runs a statement, and returns the number in its first row; nil for null, or without a row.
  func integer(_ text: String, _ values: SQLValue...) throws -> Int64? {
    try rows(text, values) { $0.integer(0) }.first ?? nil
  }
}

/// A value of a parameter.
package enum SQLValue {
  case integer(Int64?)
  case real(Double)
  case text(String?)
  case bytes([UInt8])
  /// Numbers for ``SQLDialect/isAmong(_:_:)``.
  case integers([Int64])
}

/// A row of a statement, whose values are read in place.
package protocol SQLRow {
  /// Returns a whole number; nil for null.
  func integer(_ column: Int) -> Int64?
  /// Returns a number with a fraction; nil for null.
  func real(_ column: Int) -> Double?
  /// Returns a text; nil for null.
  func text(_ column: Int) -> String?
  /// Returns bytes; nil for null.
  func bytes(_ column: Int) -> [UInt8]?
  /// Returns the value of an attribute of a type. A reference is the number of its row.
  func value(_ column: Int, _ type: AttributeType) -> AttributeValue
  /// Calls `body` with the UTF-8 of a text; nil if the value is not a text.
  func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void)
}
