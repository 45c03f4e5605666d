internal import ManagedContext
internal import SQLStatements
internal import TextSearch

extension Connection: SQLConnection {
  static var dialect: SQLDialect { .postgresql }

  func run(_ text: String, _ values: [SQLValue], _ visit: (ResultRow) throws -> Void) throws {
    let result = try run(Statement(text, values: values))
    for row in 0..<result.count { try visit(ResultRow(result: result, row: row)) }
  }

  // A store on a server is created with all tables.

  func hasTable(_ name: String) -> Bool { true }

  func makeConsumers() {}

  func newestTransaction() throws -> Int64 {
    let row = try run(Statement("SELECT history FROM \(Tables.store)"))
    return row.count > 0 ? row.integer(0, 0) ?? 0 : 0
  }

  func isFollowed() -> String { "followed" }
}

/// A result row in the binary format.
struct ResultRow: SQLRow, TextRow {
  let result: QueryResult
  let row: Int

  func integer(_ column: Int) -> Int64? { result.integer(row, column) }
  func real(_ column: Int) -> Double? { result.real(row, column) }
  func text(_ column: Int) -> String? { result.text(row, column) }
  func bytes(_ column: Int) -> [UInt8]? { result.bytes(row, column) }
  func value(_ column: Int, _ type: AttributeType) -> AttributeValue { result.value(row, column, type) }

  func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void) {
    if result.isNull(row, column) { return body(nil) }
    result.withBytes(row, column) { text in body(text) }
  }
}

/// Runs `body`, and converts the server's errors to ``ManagedContext/StoreError``.
///
/// - Parameter name: The store's address without its password.
func describingErrors<Value>(store name: String, _ body: () throws -> Value) throws(StoreError) -> Value {
  do {
    return try body()
  } catch let error as StoreError {
    throw error
  } catch let error as ServerError {
    throw StoreError(error, store: name)
  } catch {
    throw .inputOutput("\(name): \(error)")
  }
}

extension ServerError {
  /// Runs statements that both kinds of stores share, and throws their connection's errors.
  static func ofConnection<Value>(_ body: () throws -> Value) throws(ServerError) -> Value {
    do {
      return try body()
    } catch let error as ServerError {
      throw error
    } catch {
      throw ServerError(local: "\(error)")
    }
  }
}
