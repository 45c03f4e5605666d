public import ManagedContext

/// Runs queries on the tables of a store.
public struct StatisticsQuery {
  /// The dialect of the statements.
  public let dialect: SQLDialect
  private let run: (_ text: String, _ visit: ([AttributeValue]) -> Bool) throws(StoreError) -> Void

  /// - Parameters:
  ///   - dialect: The dialect of the statements.
  ///   - run: Runs a statement, and calls `visit` with the values of each row until it returns false.
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
