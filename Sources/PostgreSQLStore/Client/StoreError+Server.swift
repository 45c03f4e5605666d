internal import ManagedContext

/// The error codes that the store distinguishes (postgresql.org/docs/15/errcodes-appendix.html).
enum ErrorCode {
  static let unique = "23505"
  static let foreignKey = "23503"
  static let serialization = "40001"
  static let deadlock = "40P01"
  static let undefinedTable = "42P01"
  static let undefinedColumn = "42703"
  static let undefinedFunction = "42883"
  static let duplicateTable = "42P07"
  static let canceled = "57014"
  static let insufficientPrivilege = "42501"
  static let syntax = "42601"
  static let readOnlyTransaction = "25006"
  static let noDatabase = "3D000"
  static let wrongPassword = "28P01"
  static let notNull = "23502"
  /// An object is not in the state that the statement needs, such as a view that cannot be written.
  static let wrongState = "55000"
  static let tooManyConnections = "53300"
  /// The session was in a transaction for too long without a statement.
  static let idleInTransaction = "25P03"

  /// Returns whether the server refuses connections only for a while.
  static func isPassing(_ code: String) -> Bool {
    code == tooManyConnections || code.hasPrefix("57P0")
  }

  /// Returns whether a table or a column is missing, or has changed since its statement was prepared.
  static func isAboutTables(_ code: String?) -> Bool {
    code == undefinedTable || code == undefinedColumn || code == "0A000"
  }

  /// Returns whether a value violates a database constraint.
  static func isViolation(_ code: String?) -> Bool {
    code.map { $0.hasPrefix("22") || $0.hasPrefix("23") } ?? false
  }

  /// Returns whether a retry may succeed, because another transaction was in the way.
  static func isTransient(_ code: String?) -> Bool { code == serialization || code == deadlock }
}

extension StoreError {
  /// Converts a server error.
  ///
  /// - Parameter name: The store's address without its password.
  init(_ error: ServerError, store name: String) {
    let cause = "\(name): \(error.text)"
    guard let code = error.code else {
      self = error.isLost ? .unavailable(cause) : .inputOutput(cause)
      return
    }
    switch code {
    // Lock and transaction timeouts, and cancelled statements.
    case "55P03", ErrorCode.idleInTransaction, ErrorCode.serialization, ErrorCode.deadlock,
      ErrorCode.canceled:
      self = .busy
    // Too many connections; a server that starts or stops.
    case ErrorCode.tooManyConnections, "57P01", "57P02", "57P03": self = .unavailable(cause)
    case "53100", "53200", "54000": self = .full(cause)
    case ErrorCode.readOnlyTransaction: self = .readOnly(cause)
    case ErrorCode.insufficientPrivilege:
      let advice = """
        to write, GRANT ALL on tables and sequences is needed; to read, GRANT SELECT on tables; and to copy, also on sequences
        """
      self = .readOnly("\(cause); \(advice)")
    case "28000", "28P01", "3D000", "3F000": self = .cannotOpen(cause)
    case "XX001", "XX002": self = .corrupt(cause)
    case "54001": self = .request("\(name): a predicate is too deep or too long (\(error.text))")
    default:
      // Violated constraints, and values that a type does not have.
      self = code.hasPrefix("23") || code.hasPrefix("22") ? .invalid(cause) : .inputOutput(cause)
    }
  }
}
