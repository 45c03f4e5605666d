public import ManagedContext

extension PostgreSQLStore {
  /// Executes statements on a separate connection, for tasks such as creating schemas in tests.
  ///
  /// - Returns: The rows' first column, as text; empty for null.
  @discardableResult
  public static func execute(_ text: String, at address: StoreAddress) throws(StoreError) -> [String] {
    do throws(ServerError) {
      let connection = try Connection(address.text)
      return try connection.texts(text)
    } catch {
      throw StoreError(error, store: address.withoutPassword)
    }
  }
}
