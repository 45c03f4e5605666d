public import ManagedContext
public import NewsModel

/// The reason why an import ended early.
public enum ImportFailure: Error, Sendable {
  /// The store rejected further saves. Earlier saves are kept.
  case store(StoreError)
  /// The download thread could not be started.
  case download(PollFailure)
  /// A feed has invalid settings, for this reason.
  case settings(String)
  /// The system has no thread left.
  case thread(StoreError)

  /// Returns the result of work with the store; an error ends the import.
  static func ofStore<Value>(_ work: () throws(StoreError) -> Value) throws(ImportFailure) -> Value {
    do throws(StoreError) {
      return try work()
    } catch {
      throw .store(error)
    }
  }
}
