internal import CPostgreSQL

// Immutable. Every function gets its state through its arguments.
private nonisolated(unsafe) let loaded = unsafe libpq_load()

/// The functions of libpq, which is loaded when a server is named.
var libpq: libpq_functions {
  guard let loaded = unsafe loaded else { preconditionFailure("libpq is missing, which was not checked") }
  return unsafe loaded.pointee
}

/// True if libpq is installed. Otherwise, call no function except ``Connection``'s initializer, which throws.
var hasLibpq: Bool { unsafe loaded != nil }

extension ServerError {
  static let missingLibrary = ServerError(
    local: "the library libpq.so.5, which connects to servers, is missing; install the package libpq5")
}
