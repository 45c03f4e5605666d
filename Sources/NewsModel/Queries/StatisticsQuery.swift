public import ManagedContext

/// Runs queries on a store's tables.
public struct StatisticsQuery {
  /// The statements' dialect.
  public let dialect: SQLDialect
  private let run: (_ text: String, _ visit: ([AttributeValue]) -> Bool) throws(StoreError) -> Void

  /// - Parameters:
  ///   - dialect: The SQL dialect.
  ///   - run: Runs a statement, and calls `visit` with the values in each row until it returns false.
  public init(
    _ dialect: SQLDialect,
    _ run: @escaping (_ text: String, _ visit: ([AttributeValue]) -> Bool) throws(StoreError) -> Void
  ) {
    (self.dialect, self.run) = (dialect, run)
  }

  /// Runs a statement.
  public func callAsFunction(_ text: String, _ visit: ([AttributeValue]) -> Bool) throws(StoreError) {
    try run(text, visit)
  }
}
