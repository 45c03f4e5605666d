import GRDB
import TestSupport
import Testing

/// Runs the built command with its own store and without the user's settings.
///
/// The store is a file. With `NEWSIMPORT_TEST_STORE=postgresql` it is a schema of its own on the server for tests, except for
/// the tests of ``ServerExceptions``.
struct CommandRun: Sendable {
  /// Thread sanitizer itself writes files that are larger than the limit.
  #if SANITIZED
    static let canLimitFiles = false
  #else
    static let canLimitFiles = true
  #endif

  /// True if the tests use stores on a server.
  static let isOnServer = TestServer.replacesFiles

  typealias Result = Command.Result

  let folder: TemporaryFolder
  /// The store on a server; nil for a file.
  let schema: TestSchema?

  /// - Parameter isOnServer: True for a store on a server; nil for the store of this run of the tests, if the test can have it.
  init(onServer isOnServer: Bool? = nil) throws {
    if isOnServer == nil, Self.isOnServer { try ServerExceptions.cancelTest() }
    folder = try TemporaryFolder()
    schema = isOnServer ?? Self.isOnServer ? try TestSchema() : nil
  }

  /// The path of the store, or its address.
  var store: String { schema?.text ?? folder.file("news.db") }

  /// Runs to the end.
  func callAsFunction(_ arguments: String..., input: String = "") async throws -> Result {
    try await run(arguments, input: input)
  }

  /// Runs to the end; see ``Command/run(_:_:environment:input:on:meanwhile:)``.
  ///
  /// - Parameter variables: Additional environment variables.
  func run(
    _ arguments: [String], input: String = "", on terminal: Terminal? = nil,
    variables: [String: String] = [:],
    meanwhile: @Sendable (_ signal: (Int32) -> Void) async throws -> Void = { _ in }
  ) async throws -> Result {
    if Self.isOnServer { try ServerExceptions.cancelTest(calling: arguments) }
    let environment = [
      "NEWSIMPORT_STORE": store, "HOME": folder.path, "TZ": "UTC", "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
    ].merging(variables) { $1 }
    return try await Command.run(
      input: input, on: terminal, { try Self.start(arguments, environment, $0) }, meanwhile: meanwhile)
  }

  /// Starts a copy of a process that has loaded the program, which takes a fraction of the time of a start.
  private static func start(_ arguments: [String], _ environment: [String: String], _ files: [String]) throws
    -> Command.Running
  {
    #if SANITIZED
      // Thread sanitizer has a thread of its own, which a copy of the process would not have.
      let isCopied = false
    #else
      let isCopied = environment["LD_PRELOAD"] == nil
    #endif
    if isCopied {
      // Far more than any run takes: without it, one that hangs would keep all tests from ending.
      return try RunServer.shared.get().start(
        arguments, environment: environment, files: files, limit: 600)
    }
    return try Command.start(
      Command.builtProducts + "/newsimport", arguments, environment: environment, files: files)
  }

  // MARK: SQL

  /// Changes the store with SQL, as another program does.
  func execute(_ sql: String) throws {
    if let schema {
      _ = try schema.rows(sql)
    } else {
      try DatabaseQueue(path: store).write { try $0.execute(sql: sql) }
    }
  }

  /// Returns the first column of a query, as text; empty for null.
  func rows(_ sql: String) throws -> [String] {
    if let schema { return try schema.rows(sql) }
    return try DatabaseQueue(path: store).read { try String?.fetchAll($0, sql: sql) }.map { $0 ?? "" }
  }
}
