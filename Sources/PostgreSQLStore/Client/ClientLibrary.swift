internal import CPostgreSQL

// Immutable. What a function needs of its own is in its arguments.
private nonisolated(unsafe) let loaded = unsafe libpq_load()

/// The functions of libpq, which is loaded when a server is named.
var libpq: libpq_functions {
  guard let loaded = unsafe loaded else { preconditionFailure("libpq is missing, which was not checked") }
  return unsafe loaded.pointee
}

/// True if libpq is installed. Otherwise, no other function may be called than ``Connection``'s initializer, which throws.
var hasLibpq: Bool { unsafe loaded != nil }

extension ServerError {
  static let missingLibrary = ServerError(
    local: "the library libpq.so.5, which connects to servers, is missing; install the package libpq5")
}
