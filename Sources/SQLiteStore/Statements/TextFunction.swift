internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// The SQL function for text conditions that SQLite cannot evaluate as ``TextMatch`` does.
///
/// SQLite's own `LIKE` ignores the case of ASCII letters only, and `GLOB` knows more wildcards.
enum TextFunction {
  static let name = "managed_text_matches"

  /// Returns the function's second argument.
  static func argument(_ match: StorePredicate.Match, _ text: String, _ options: TextOptions) -> String {
    "\(match.rawValue)\(options.rawValue)\(text)"
  }

  /// Reads a second argument; nil if it has another form.
  private static func match(_ argument: String) -> TextMatch? {
    var rest = argument.unicodeScalars[...]
    guard let match = rest.popFirst().flatMap({ UInt8(String($0)) }).flatMap(StorePredicate.Match.init),
      let options = rest.popFirst().flatMap({ UInt8(String($0)) })
    else { return nil }
    return TextMatch(match, String(rest), TextOptions(rawValue: options))
  }

  static func register(in db: Database) throws {
    let code = unsafe sqlite3_create_function_v2(
      db.sqliteConnection, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, arguments in
        guard let arguments = unsafe arguments else { return }
        unsafe TextFunction.call(
          context, TextFunction.text(arguments[0]), TextFunction.text(arguments[1]))
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Sets the result to 1 for a text that matches, and to 0 for any other value.
  @unsafe private static func call(
    _ context: OpaquePointer?, _ text: UnsafeBufferPointer<UInt8>?, _ argument: UnsafeBufferPointer<UInt8>?
  ) {
    // SQLite keeps the search until the statement gets another argument.
    if let known = unsafe sqlite3_get_auxdata(context, 1) {
      let isFound = unsafe Unmanaged<TextMatch>.fromOpaque(known)._withUnsafeGuaranteedRef { match in
        unsafe text.map { unsafe match.matches($0.span) } ?? false
      }
      return unsafe sqlite3_result_int(context, isFound ? 1 : 0)
    }
    guard let match = unsafe argument.flatMap({ unsafe match(String(decoding: $0, as: UTF8.self)) }) else {
      return unsafe sqlite3_result_error(context, "\(name): its second argument is wrong", -1)
    }
    let isFound = unsafe text.map { unsafe match.matches($0.span) } ?? false
    unsafe sqlite3_result_int(context, isFound ? 1 : 0)
    unsafe sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(match).toOpaque()) { match in
      guard let match = unsafe match else { return }
      unsafe Unmanaged<TextMatch>.fromOpaque(match).release()
    }
  }

  /// Returns an argument's UTF-8, which is valid during the call; nil if it is not a text.
  @unsafe private static func text(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
    guard unsafe sqlite3_value_type(value) == SQLITE_TEXT, let start = unsafe sqlite3_value_text(value)
    else { return nil }
    return unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}
