import TestSupport

/// Runs the built command with its own store and without the user's settings.
struct CommandRun: Sendable {
  /// Thread sanitizer itself writes files that are larger than the limit.
  #if SANITIZED
    static let canLimitFiles = false
  #else
    static let canLimitFiles = true
  #endif

  typealias Result = Command.Result

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  var store: String { folder.file("news.db") }

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
    try await Command.run(
      Command.builtProducts + "/newsimport", arguments,
      environment: [
        "NEWSIMPORT_STORE": store, "HOME": folder.path, "TZ": "UTC", "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
      ].merging(variables) { $1 },
      input: input, on: terminal, meanwhile: meanwhile)
  }
}
