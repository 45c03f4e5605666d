internal import ManagedContext

/// Codes of errors that the store distinguishes (postgresql.org/docs/15/errcodes-appendix.html).
enum ErrorCode {
  static let unique = "23505"
  static let foreignKey = "23503"
  static let badText = "22021"
  static let serialization = "40001"
  static let deadlock = "40P01"
  static let undefinedTable = "42P01"
  static let undefinedColumn = "42703"
  static let duplicateTable = "42P07"
  static let canceled = "57014"
  static let insufficientPrivilege = "42501"
  static let noDatabase = "3D000"
  static let wrongPassword = "28P01"

  /// True if the same transaction may succeed at its next attempt, because another one was in its way.
  static func isTransient(_ code: String?) -> Bool { code == serialization || code == deadlock }
}

extension StoreError {
  /// Converts an error of the server.
  ///
  /// - Parameter name: The store's address without its password.
  init(_ error: ServerError, store name: String) {
    let cause = "\(name): \(error.text)"
    guard let code = error.code else {
      self = .inputOutput(cause)
      return
    }
    switch code {
    // Lock timeouts, cancelled statements, too many connections, and a server that starts or stops.
    case "55P03", "57014", "53300", "57P01", "57P02", "57P03", ErrorCode.serialization, ErrorCode.deadlock:
      self = .busy
    case "53100", "53200", "54000": self = .full(cause)
    case "25006": self = .readOnly(cause)
    case ErrorCode.insufficientPrivilege: self = .readOnly(cause)
    case "28000", "28P01", "3D000", "3F000": self = .cannotOpen(cause)
    case "XX001", "XX002": self = .corrupt(cause)
    case "54001": self = .request("\(name): a predicate is too deep or too long (\(error.text))")
    default:
      // Violated constraints, and values that a type does not have.
      self = code.hasPrefix("23") || code.hasPrefix("22") ? .invalid(cause) : .inputOutput(cause)
    }
  }
}
