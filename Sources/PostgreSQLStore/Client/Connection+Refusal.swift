internal import CPostgreSQL
internal import Foundation
internal import ManagedContext

extension Connection {
  /// Returns libpq's message about a connection's last failure.
  static func message(of handle: OpaquePointer?) -> String {
    unsafe libpq.PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
  }

  /// Connects again to find out the error code with which the server refuses a connection. libpq can report
  /// the code only instead of the message, which may be in any language.
  ///
  /// - Parameter options: The names and values of the connection's options.
  /// - Returns: Nil if the server does not answer.
  static func code(ofRefusalBy options: [(name: String, value: String)]) -> String? {
    let begun = unsafe withStrings(options.map(\.name)) { names in
      unsafe withStrings(options.map(\.value)) { values in
        unsafe libpq.PQconnectStartParams(names, values, 1)
      }
    }
    guard let handle = unsafe begun else { return nil }
    defer { unsafe libpq.PQfinish(handle) }
    _ = unsafe libpq.PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
    // A socket that does not exist refuses at once.
    guard unsafe libpq.PQstatus(handle) != CONNECTION_BAD else { return nil }
    let end = ContinuousClock.now + .seconds(5)
    var next = PGRES_POLLING_WRITING
    while next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else { return nil }
      let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
      var descriptor = pollfd(fd: unsafe libpq.PQsocket(handle), events: Int16(events), revents: 0)
      _ = unsafe poll(&descriptor, 1, Int32(left / .milliseconds(1)) + 1)
      next = unsafe libpq.PQconnectPoll(handle)
    }
    // The message ends with the code.
    let message = unsafe message(of: handle)
    guard let word = message.split(whereSeparator: { $0.isWhitespace }).last, word.utf8.count == 5,
      word.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
    else { return nil }
    return String(word)
  }

  /// Returns libpq's message about an address that it cannot read; nil if it can.
  static func mistake(inAddress text: String) -> String? {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = unsafe libpq.PQconninfoParse(text, &message) else {
      defer { unsafe libpq.PQfreemem(message) }
      guard let message = unsafe message else { return "not enough memory" }
      return unsafe String(cString: message).split(whereSeparator: \.isNewline).first.map(String.init) ?? "?"
    }
    unsafe libpq.PQconninfoFree(options)
    return nil
  }

  /// Returns libpq's message about a value that it does not accept, in a readable address, its service or the
  /// environment; nil if it accepts all. No connection is made.
  static func mistake(inValuesOf address: String) -> String? {
    // libpq checks the values before it looks at the host, which does not exist.
    let options = [("dbname", address), ("host", "/"), ("hostaddr", "-"), ("port", "1")]
    return unsafe withStrings(options.map(\.0)) { names in
      unsafe withStrings(options.map(\.1)) { values in
        guard unsafe libpq.PQpingParams(names, values, 1) == PQPING_NO_ATTEMPT else { return nil }
        let handle = unsafe libpq.PQconnectStartParams(names, values, 1)
        defer { unsafe libpq.PQfinish(handle) }
        return unsafe ServerError(connection: message(of: handle)).message
      }
    }
  }

  /// Returns the values in a readable address, by libpq's option names.
  static func values(ofAddress text: String) -> [String: String] {
    guard let options = unsafe libpq.PQconninfoParse(text, nil) else { return [:] }
    defer { unsafe libpq.PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = unsafe options
    while let name = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        unsafe values[String(cString: name)] = String(cString: value)
      }
      unsafe option += 1
    }
    return values
  }
}
