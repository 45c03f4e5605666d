internal import Foundation
internal import Subprocess
internal import SystemPackage

/// Runs programs as a user would.
public enum Command {
  /// How a run ended.
  public struct Result: Sendable, Equatable {
    /// The exit status; below zero the signal that ended it.
    public var status: Int32
    public var out: String
    public var err: String

    public init(status: Int32, out: String, err: String) {
      self.status = status
      self.out = out
      self.err = err
    }
  }

  /// What stands beside the running tests: the programs and modules that were built with them.
  public static let builtProducts = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked up in PATH.
  ///   - environment: All of it; nil inherits that of the tests.
  ///   - input: Its standard input; empty by default.
  ///   - meanwhile: Runs while the program does; what it calls with a signal's number sends that to the program.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: String = "",
    meanwhile: @Sendable (_ signal: (Int32) throws -> Void) async throws -> Void = { _ in }
  ) async throws -> Result {
    let variables = environment.map { pairs in
      Environment.custom(
        Dictionary(uniqueKeysWithValues: pairs.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
    }
    let result = try await Subprocess.run(
      program.hasPrefix("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
      environment: variables ?? .inherit, input: .string(input), output: .string(limit: 64 << 20),
      error: .string(limit: 64 << 20)
    ) { execution in
      try await meanwhile { try execution.send(signal: Signal(rawValue: $0)) }
    }
    let status: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let number): -number
      }
    return Result(status: status, out: result.standardOutput, err: result.standardError)
  }
}
