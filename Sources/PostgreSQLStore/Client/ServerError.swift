internal import CPostgreSQL

/// An error from the server, or in the connection to it.
struct ServerError: Error {
  /// The error code (postgresql.org/docs/15/errcodes-appendix.html); nil for a connection error.
  let code: String?
  /// The message from the server or from libpq, in one line.
  let message: String
  /// The server's further explanation and advice.
  let detail: String?
  /// The name of the violated constraint.
  let constraint: String?
  /// True if the error is at a place in the statement's text.
  let hasPlace: Bool
  let isLost: Bool

  /// Describes a connection error.
  ///
  /// - Parameter code: The code that the server has given for its refusal; nil without an answer.
  init(connection message: String, code: String? = nil) {
    self.code = code
    self.message = Self.sentence(message)
    (detail, constraint, hasPlace) = (nil, nil, false)
    isLost = true
  }

  /// Describes an error in this program that ends a transaction.
  init(local message: String) {
    self.message = message
    (code, detail, constraint, hasPlace, isLost) = (nil, nil, nil, false, false)
  }

  init(_ result: QueryResult, isLost: Bool) {
    code = result.errorField(cpq_sqlstate)
    message = Self.sentence(result.errorField(cpq_message) ?? result.errorMessage)
    let parts = [cpq_detail, cpq_hint].compactMap { result.errorField($0) }
    detail = parts.isEmpty ? nil : Self.lines(parts.joined(separator: "; ")).joined(separator: " ")
    constraint = result.errorField(cpq_constraint)
    hasPlace = result.errorField(cpq_position) != nil
    // With these codes, the server ends the session itself (class 57P, and the transaction timeout).
    self.isLost = isLost || code.map { $0.hasPrefix("57P") || $0 == ErrorCode.idleInTransaction } ?? true
  }

  /// The message with its explanation.
  var text: String { detail.map { "\(message) (\($0))" } ?? message }

  /// Returns a message in one line, without a full stop: several servers may have one each.
  private static func sentence(_ message: String) -> String {
    // Lines that begin with a tab guess at the cause, or ask whether the server runs.
    let kept = message.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }
    let line = lines(kept.joined(separator: "\n")).joined(separator: "; ")
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }

  private static func lines(_ message: String) -> [Substring] {
    message.split(whereSeparator: \.isNewline).map { line in line.drop { $0 == " " || $0 == "\t" } }
  }
}
