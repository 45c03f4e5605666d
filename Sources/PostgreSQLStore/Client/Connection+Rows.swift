internal import CPostgreSQL
internal import ManagedContext

extension Connection {
  /// The server's description of a statement before it is executed.
  struct Description {
    let columns: [String]
    let parameterCount: Int
  }

  /// Prepares one statement as the unnamed one, and describes it.
  func describe(_ text: String) throws(ServerError) -> Description {
    _ = try unsafe checked(libpq.PQprepare(handle, "", text, 0, nil))
    let result = try unsafe checked(libpq.PQdescribePrepared(handle, ""))
    return Description(columns: result.columnNames, parameterCount: result.parameterCount)
  }

  /// Executes the unnamed statement, and visits its text-format rows one by one as they arrive.
  ///
  /// - Parameter visit: Returns whether to continue. The statement is cancelled if not.
  func forEachRow(_ visit: (QueryResult) -> Bool) throws(ServerError) {
    guard unsafe libpq.PQsendQueryPrepared(handle, "", 0, nil, nil, nil, 0) != 0,
      unsafe libpq.PQsetSingleRowMode(handle) != 0
    else { throw ServerError(connection: lastMessage) }
    var isWanted = true
    var failure: ServerError?
    // All results must be read before the next statement.
    while let result = unsafe libpq.PQgetResult(handle) {
      let found = unsafe QueryResult(result)
      switch unsafe libpq.PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE:
        guard isWanted, !visit(found) else { continue }
        isWanted = false
        cancellation().cancel()
      case PGRES_TUPLES_OK: break
      default: failure = ServerError(found, isLost: isLost)
      }
    }
    if isWanted, let failure { throw failure }
  }
}

/// The only row in a text-format result.
///
/// Numbers and truth values are numbers, bytes are bytes, and all else is text as the server writes it.
struct ServerRow: VisitedRow {
  private let result: QueryResult

  init(_ result: QueryResult) { self.result = result }

  var count: Int { result.columnCount }

  func pass(_ column: Int, to receiver: inout some CellReceiver) {
    if result.isNull(0, column) { return receiver.receiveNull() }
    switch result.type(ofColumn: column) {
    case TypeID.bool: receiver.receive(Int64(result.text(0, column) == "t" ? 1 : 0))
    case TypeID.int2, TypeID.int4, TypeID.int8, TypeID.oid, TypeID.numeric, TypeID.float4, TypeID.float8:
      let text = result.text(0, column) ?? ""
      if let whole = Int64(text) {
        receiver.receive(whole)
      } else if let number = Double(text) {
        receiver.receive(number)
      } else {
        receiver.receive(text: text.utf8.span)
      }
    case TypeID.bytea:
      result.withBytes(0, column) { digits in receiver.receive(bytes: Self.bytes(digits).span) }
    default: result.withBytes(0, column) { text in receiver.receive(text: text) }
    }
  }

  /// Reads bytes as the server writes them: `\x` and two digits for each
  /// (postgresql.org/docs/15/datatype-binary.html).
  private static func bytes(_ text: Span<UInt8>) -> [UInt8] {
    stride(from: 2, to: text.count - 1, by: 2).map { place in digit(text[place]) << 4 | digit(text[place + 1])
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: 0
    }
  }
}

/// The object IDs of the server's own types (pg_type.dat).
private enum TypeID {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let oid: UInt32 = 26
  static let float4: UInt32 = 700
  static let float8: UInt32 = 701
  static let numeric: UInt32 = 1700
}
