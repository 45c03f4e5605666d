import ManagedContext

/// The exit statuses, with the meanings of sysexits.h(3head) where they apply.
enum ExitStatus: Int32, CaseIterable {
  case someFeedsFailed = 1
  case usage = 64
  case badInput = 65
  case noInput = 66
  case unavailable = 69
  case system = 71
  case cannotCreate = 73
  case inputOutput = 74
  case busy = 75
  case configuration = 78
  case hangup = 129
  case interrupted = 130
  case terminated = 143

  /// The meaning, for the help and the manual.
  var meaning: String {
    switch self {
    case .someFeedsFailed: "some feeds or hooks failed, the other feeds are saved"
    case .usage: "an error on the command line"
    case .badInput: "the input is not a valid feed, address, OPML file or store"
    case .noInput: "no such region, feed or file"
    case .unavailable: "every polled feed failed"
    case .system: "out of threads or open files, or no /proc"
    case .cannotCreate: "the store or a file cannot be opened or created"
    case .inputOutput: "the store, a file or the output cannot be read or written"
    case .busy: "the store is busy"
    case .configuration: "an error in the configuration"
    case .hangup: "stopped by SIGHUP; what was acknowledged is saved"
    case .interrupted: "stopped by SIGINT; what was acknowledged is saved"
    case .terminated: "stopped by SIGTERM; what was acknowledged is saved"
    }
  }

  /// The user's next step; nil unless it is the same for all causes.
  var advice: String? { self == .busy ? "try again" : nil }

  static let success = "success, even if nothing was new"

  /// All exit statuses in one sentence, without its full stop.
  static var summary: String {
    (["0 success"]
      + allCases.filter { $0.rawValue < hangup.rawValue }.map { "\($0.rawValue) \($0.meaning)" })
      .joined(separator: "; ")
  }
}

/// A command's failure: one line on standard error, and an exit status.
struct CommandFailure: Error {
  let status: ExitStatus
  /// The line, "subject: cause; next step"; nil if all messages were already printed.
  let message: String?

  init(_ status: ExitStatus, _ message: String? = nil) {
    self.status = status
    self.message = message
  }
}

extension StoreError {
  /// Returns the error as text that begins with the store's path, and has it only once.
  func text(at path: String) -> String {
    let text = "\(self)"
    if text.hasPrefix(path) { return text }
    return "\(path): " + text.replacing("\(path): ", with: "").replacing("\(path) ", with: "it ")
  }
}
