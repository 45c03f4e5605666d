internal import CPostgreSQL
internal import Foundation
internal import ManagedContext

/// A server connection through libpq (postgresql.org/docs/15/libpq.html). One thread at a time uses it.
@safe final class Connection: @unchecked Sendable {
  // A pool passes it from thread to thread; libpq only forbids two threads at the same time.
  let handle: OpaquePointer
  /// The names of prepared statements, by their texts.
  private var prepared: [String: String] = [:]
  private var lastName = 0
  /// The maximum count of prepared statements: texts made from value lists must not fill the server's memory.
  private static let mostPrepared = 200
  /// The error code of the last failed statement.
  private(set) var lastCode: String?
  /// The server's name for the session; see ``ServerSession``.
  private(set) var session: String?
  /// The known pooler between this connection and the server.
  let pooler: Pooler
  /// True if statements were sent incompletely.
  private var isBroken = false

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - address: A connection URI, passed to libpq as it is.
  ///   - settings: The session settings, which are set before the first statement.
  ///   - pooler: A pooler that is known to be in between.
  init(
    _ address: String, settings: [(name: String, value: String)] = [], through pooler: Pooler = .none
  ) throws(ServerError) {
    self.pooler = pooler
    // Defaults come first; the address replaces them. A lost network is noticed in about half a minute.
    let options: [(name: String, value: String)] = [
      ("connect_timeout", "10"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
      ("keepalives_count", "4"), ("tcp_user_timeout", "30000"), ("fallback_application_name", "newsimport"),
      ("dbname", address), ("client_encoding", "UTF8"),
    ]
    guard hasLibpq else { throw .missingLibrary }
    let opened = unsafe Self.withStrings(options.map(\.name)) { names in
      unsafe Self.withStrings(options.map(\.value)) { values in
        unsafe libpq.PQconnectdbParams(names, values, 1)
      }
    }
    guard let opened = unsafe opened else { throw ServerError(connection: "not enough memory") }
    unsafe handle = opened
    // From here on, `deinit` closes the connection, also if this fails.
    guard unsafe libpq.PQstatus(opened) == CONNECTION_OK else {
      let message = unsafe Self.message(of: opened)
      let needsPassword = unsafe libpq.PQconnectionNeedsPassword(opened) != 0
      let code = needsPassword ? ErrorCode.wrongPassword : Self.code(ofRefusalBy: options)
      throw ServerError(connection: message, code: code)
    }
    // The server's notices are for its own log.
    _ = unsafe libpq.PQsetNoticeReceiver(handle, { _, _ in }, nil)
    if pooler == .ofTransactions { return }
    let process = pooler == .none ? unsafe libpq.PQbackendPID(handle) : nil
    session = try texts(ServerSession.beginning(settings, in: process)).first
  }

  deinit { unsafe libpq.PQfinish(handle) }

  // MARK: State

  /// True if the connection can no longer be used.
  var isLost: Bool { unsafe isBroken || libpq.PQstatus(handle) != CONNECTION_OK }

  /// The socket's descriptor, for poll(2).
  var socket: Int32 { unsafe libpq.PQsocket(handle) }

  /// True if an unknown pooler is in between: the process number differs. No settings are made then.
  var hasUnknownPooler: Bool { session == nil && pooler == .none }

  /// The server's version as a number, such as 150018.
  var serverVersion: Int { Int(unsafe libpq.PQserverVersion(handle)) }

  /// Returns a parameter that the server has reported, such as `server_encoding`; nil without it.
  func parameter(_ name: String) -> String? {
    unsafe libpq.PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
  }

  /// True inside a transaction, also a failed one.
  var isInTransaction: Bool {
    let status = unsafe libpq.PQtransactionStatus(handle)
    return status != PQTRANS_IDLE && status != PQTRANS_UNKNOWN
  }

  /// Clears the last error code, at the beginning of a transaction.
  func forgetError() { lastCode = nil }

  var lastMessage: String { unsafe Self.message(of: handle) }

  /// Returns a value with which any thread can cancel the running statement.
  func cancellation() -> Cancellation { unsafe Cancellation(libpq.PQgetCancel(handle), socket: dup(socket)) }

  // MARK: Statements

  /// Executes one or several statements without parameters.
  func execute(_ text: String) throws(ServerError) {
    _ = try unsafe checked(libpq.PQexec(handle, text))
  }

  /// Executes statements without parameters, and returns the last one's first column as texts.
  func texts(_ text: String) throws(ServerError) -> [String] {
    let result = try unsafe checked(libpq.PQexec(handle, text))
    return (0..<result.count).map { result.text($0, 0) ?? "" }
  }

  /// Executes a statement, and returns its rows in the binary format.
  ///
  /// - Parameter prepares: True for a text that is executed often: the server keeps its plan.
  @discardableResult
  func run(_ statement: Statement, prepares: Bool = true) throws(ServerError) -> QueryResult {
    // The next transaction would not have the prepared statement.
    let name = prepares && pooler != .ofTransactions ? try prepare(statement) : nil
    let result = unsafe statement.parameters.withPointers { count, values, lengths, formats in
      if let name {
        unsafe libpq.PQexecPrepared(handle, name, count, values, lengths, formats, 1)
      } else {
        unsafe statement.parameters.withTypes { types in
          unsafe libpq.PQexecParams(handle, statement.text, count, types, values, lengths, formats, 1)
        }
      }
    }
    return try unsafe checked(result)
  }

  /// Prepares a statement.
  ///
  /// - Returns: Its name; nil if too many are prepared.
  private func prepare(_ statement: Statement) throws(ServerError) -> String? {
    if let name = prepared[statement.text] { return name }
    guard prepared.count < Self.mostPrepared else { return nil }
    let name = nextName()
    _ = try unsafe checked(
      statement.parameters.withTypes { types in
        unsafe libpq.PQprepare(handle, name, statement.text, Int32(statement.parameters.count), types)
      })
    prepared[statement.text] = name
    return name
  }

  private func nextName() -> String {
    lastName += 1
    return "s\(lastName)"
  }

  func checked(_ result: OpaquePointer?) throws(ServerError) -> QueryResult {
    guard let result = unsafe result else { throw ServerError(connection: lastMessage) }
    let found = unsafe QueryResult(result)
    switch unsafe libpq.PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return found
    case PGRES_EMPTY_QUERY: throw ServerError(connection: "there is no statement")
    default:
      let error = ServerError(found, isLost: isLost)
      lastCode = error.code
      throw error
    }
  }

  // MARK: Statements together

  /// An answer that the server still has to send.
  private enum Owed {
    case preparation(name: String, text: String)
    case result
    case end
  }

  /// Executes statements in one round trip (postgresql.org/docs/15/libpq-pipeline-mode.html).
  ///
  /// - Parameters:
  ///   - statements: The statements, created one by one. After an error, the server skips the others.
  ///   - prepares: False for texts that are executed once.
  ///   - last: A further statement if all others succeed, in its own transaction. Its errors have no effect.
  /// - Returns: A result for each of `statements`.
  func runTogether(
    _ statements: some Sequence<Statement>, prepares: Bool = true, then last: Statement? = nil
  ) throws(ServerError) -> [QueryResult] {
    guard unsafe libpq.PQsetnonblocking(handle, 1) == 0, unsafe libpq.PQenterPipelineMode(handle) == 1 else {
      throw broken()
    }
    var owed: [Owed] = []
    for statement in statements { try send(statement, prepares: prepares, &owed) }
    try end(&owed)
    let count = owed.count
    if let last {
      try send(last, prepares: prepares, &owed)
      try end(&owed)
    }
    try flush()
    let found = try receive(owed[..<count])
    _ = try receive(owed[count...])
    guard unsafe libpq.PQexitPipelineMode(handle) == 1, unsafe libpq.PQsetnonblocking(handle, 0) == 0 else {
      throw broken()
    }
    if let error = found.error {
      lastCode = error.code
      throw error
    }
    return found.results
  }

  private func broken() -> ServerError {
    isBroken = true
    return ServerError(connection: lastMessage)
  }

  private func send(_ statement: Statement, prepares: Bool, _ owed: inout [Owed]) throws(ServerError) {
    var name = prepared[statement.text]
    for case .preparation(let new, statement.text) in owed { name = new }
    if name == nil, prepares, prepared.count < Self.mostPrepared {
      let new = nextName()
      let isSent = unsafe statement.parameters.withTypes { types in
        unsafe libpq.PQsendPrepare(handle, new, statement.text, Int32(statement.parameters.count), types)
      }
      guard isSent == 1 else { throw broken() }
      owed.append(.preparation(name: new, text: statement.text))
      name = new
    }
    let isSent = unsafe statement.parameters.withPointers { count, values, lengths, formats in
      if let name {
        return unsafe libpq.PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
      }
      return unsafe statement.parameters.withTypes { types in
        unsafe libpq.PQsendQueryParams(handle, statement.text, count, types, values, lengths, formats, 1)
      }
    }
    guard isSent == 1 else { throw broken() }
    owed.append(.result)
  }

  private func end(_ owed: inout [Owed]) throws(ServerError) {
    guard unsafe libpq.PQpipelineSync(handle) == 1 else { throw broken() }
    owed.append(.end)
  }

  /// Sends the remaining data, and accepts results, because the server may block on sending them.
  private func flush() throws(ServerError) {
    while true {
      switch unsafe libpq.PQflush(handle) {
      case 0: return
      case 1:
        var socket = pollfd(fd: socket, events: Int16(POLLIN | POLLOUT), revents: 0)
        _ = unsafe poll(&socket, 1, -1)
        guard unsafe Int32(socket.revents) & POLLIN == 0 || libpq.PQconsumeInput(handle) == 1 else {
          throw broken()
        }
      default: throw broken()
      }
    }
  }

  private func receive(
    _ owed: ArraySlice<Owed>
  ) throws(ServerError) -> (results: [QueryResult], error: ServerError?) {
    var results: [QueryResult] = []
    var first: ServerError?
    for answer in owed {
      guard let handle = unsafe libpq.PQgetResult(handle) else { throw first ?? broken() }
      let result = unsafe QueryResult(handle)
      switch unsafe libpq.PQresultStatus(handle) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        if case .preparation(let name, let text) = answer {
          prepared[text] = name
        } else {
          results.append(result)
        }
      case PGRES_PIPELINE_SYNC, PGRES_PIPELINE_ABORTED: break
      default:
        let error = ServerError(result, isLost: isLost)
        if error.isLost {
          isBroken = true
          throw first ?? error
        }
        first = first ?? error
      }
      if case .end = answer { continue }
      // The end of the answer.
      while let more = unsafe libpq.PQgetResult(self.handle) { unsafe libpq.PQclear(more) }
    }
    return (results, first)
  }

  // MARK: Notifications

  /// Reads the server's messages, without waiting, and returns whether they contain a notification (LISTEN).
  func takeNotifications() throws(ServerError) -> Bool {
    guard unsafe libpq.PQconsumeInput(handle) != 0 else { throw ServerError(connection: lastMessage) }
    var isNotified = false
    while let notification = unsafe libpq.PQnotifies(handle) {
      isNotified = true
      unsafe libpq.PQfreemem(notification)
    }
    return isNotified
  }

  /// Calls `body` with the addresses of texts, followed by nil.
  static func withStrings<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    var arena: [CChar] = []
    var offsets: [Int] = []
    for text in texts {
      offsets.append(arena.count)
      arena += text.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    return unsafe arena.withUnsafeBufferPointer { arena in
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for offset in offsets { unsafe pointers.append(arena.baseAddress.map { base in unsafe base + offset }) }
      unsafe pointers.append(nil)
      return unsafe pointers.withUnsafeBufferPointer { pointers in
        guard let first = pointers.baseAddress else {
          preconditionFailure("a list of pointers has no address")
        }
        return unsafe body(first)
      }
    }
  }
}

/// Cancels a connection's running statement, from any thread (postgresql.org/docs/15/libpq-cancel.html).
@safe final class Cancellation: @unchecked Sendable {
  // libpq allows a call from any thread: the value has its own copy of all it needs.
  private let handle: OpaquePointer?
  /// A duplicate descriptor: the connection's own number may be reused once the connection is closed.
  private let socket: Int32

  init(_ handle: OpaquePointer?, socket: Int32) {
    self.socket = socket
    unsafe self.handle = handle
  }

  deinit {
    unsafe libpq.PQfreeCancel(handle)
    if socket >= 0 { close(socket) }
  }

  /// Asks the server to cancel the statement. The call waits for the server's answer.
  func cancel() {
    guard let handle = unsafe handle else { return }
    var message = [CChar](repeating: 0, count: 256)
    _ = unsafe libpq.PQcancel(handle, &message, 256)
  }

  /// Ends the connection, which its statement then finds lost.
  func disconnect() { shutdown(socket, Int32(SHUT_RDWR)) }
}
