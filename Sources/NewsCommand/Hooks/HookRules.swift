import Foundation

/// The time until the next attempt after failures: a minute, which doubles up to a day.
enum HookBackoff {
  static let first: TimeInterval = 60
  static let longest: TimeInterval = 86400

  /// Returns the date of the next attempt.
  ///
  /// - Parameter attempts: The number of failed attempts, from 1.
  static func next(afterAttempts attempts: Int, at now: Date) -> Date {
    let doublings = min(max(0, attempts - 1), 20)
    return now.addingTimeInterval(min(first * TimeInterval(1 << doublings), longest))
  }
}

/// Decides when the failures of a command are no longer those of single articles: then the hook is put off as a whole.
struct HookPatience: Sendable {
  private var failures = 0
  private var stalls = 0

  /// The number of failures in a row after which a hook is put off.
  static let mostFailures = 20
  /// The number of commands in a row that reached a limit after which a hook is put off: each takes a long time.
  static let mostStalls = 3

  /// True if the hook is to be put off.
  var isOver: Bool { failures >= Self.mostFailures || stalls >= Self.mostStalls }

  /// Takes note of the end of a command for one article.
  mutating func note(_ failure: HookError?) {
    guard let failure else {
      self = HookPatience()
      return
    }
    failures += 1
    if failure.isStall { stalls += 1 }
  }
}

/// The environment of commands: they get nothing of the user's but what every program needs.
enum HookEnvironment {
  private static let kept = ["PATH", "HOME", "LANG", "TZ"]
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// Returns the variables of a command.
  ///
  /// - Parameters:
  ///   - own: The variables of this process.
  ///   - hook: The name of the hook.
  ///   - event: The token of the first event.
  ///   - store: The path of the store.
  static func variables(
    _ own: [String: String], hook: String, event: String, store: String
  ) -> [String: String] {
    var variables = own.filter { kept.contains($0.key) || $0.key.hasPrefix("NEWSIMPORT_") }
    if variables["PATH"]?.isEmpty ?? true { variables["PATH"] = standardPath }
    variables["NEWSIMPORT_STORE"] = store
    variables["NEWSIMPORT_HOOK"] = hook
    variables["NEWSIMPORT_EVENT"] = event
    return variables
  }
}

/// The reason why a command did not handle its articles.
enum HookError: Error, Sendable, Equatable {
  /// The program cannot be started, with the error of the system.
  case notStarted(Int32)
  /// It ended with another status than 0. The detail is the last line of its standard error.
  case exit(Int32, detail: String?)
  case signal(Int32, detail: String?)
  /// It was ended after a time in seconds.
  case timeout(TimeInterval)
  /// It was ended because it wrote too much.
  case output
  /// This program has no descriptor or thread left.
  case system(Int32)

  /// True if no article can be the cause.
  var isOfHook: Bool {
    switch self {
    case .notStarted, .system: true
    default: false
    }
  }

  /// True if the command was ended at a limit.
  var isStall: Bool {
    switch self {
    case .timeout, .output: true
    default: false
    }
  }

  /// The exit status; nil if the program did not end by itself.
  var status: Int? { if case .exit(let status, _) = self { Int(status) } else { nil } }

  /// Returns the cause in words.
  ///
  /// - Parameter program: The first word of the command.
  func text(of program: String) -> String {
    let cause =
      switch self {
      case .notStarted(ENOENT): Self.missing(program)
      case .notStarted(let code): "cannot be started: \(systemCause(code))"
      case .exit(let status, let detail): "exited with status \(status)" + Self.end(detail)
      case .signal(let number, let detail): "was ended by signal \(number)" + Self.end(detail)
      case .timeout(let seconds): "was stopped after \(durationText(seconds))"
      case .output: "was stopped because it wrote more than 1 GB"
      case .system(let code): "cannot be started: \(systemCause(code))"
      }
    return "\(program): \(cause)"
  }

  private static func missing(_ program: String) -> String {
    if program.utf8.first == UInt8(ascii: "~") { return "no such program; ~ is not expanded" }
    let isThere = program.utf8.contains(UInt8(ascii: "/")) && FileManager.default.fileExists(atPath: program)
    return isThere ? "the interpreter in its first line does not exist" : "no such program"
  }

  private static func end(_ detail: String?) -> String { detail.map { ": \($0)" } ?? "" }
}
