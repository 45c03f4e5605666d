import Foundation
import Glibc
import ManagedContext
import SQLiteStore

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
    case .badInput: "not a feed, an address, an OPML file or a store"
    case .noInput: "no such region, feed or file"
    case .unavailable: "every polled feed failed"
    case .system: "the system has no thread or open file left"
    case .cannotCreate: "the store or a file cannot be opened or created"
    case .inputOutput: "the store or the output cannot be read or written"
    case .busy: "the store is busy"
    case .configuration: "an error in the configuration"
    case .hangup: "stopped by SIGHUP; what was acknowledged is saved"
    case .interrupted: "stopped by SIGINT; what was acknowledged is saved"
    case .terminated: "stopped by SIGTERM; what was acknowledged is saved"
    }
  }

  /// What the user can do; nil unless that is the same for all causes.
  var advice: String? { self == .busy ? "try again" : nil }

  /// The meaning of 0.
  static let success = "success, even if nothing was new"

  /// All exit statuses of the program in one sentence, without its full stop.
  static var summary: String {
    (["0 success"]
      + allCases.filter { $0.rawValue < hangup.rawValue }.map { "\($0.rawValue) \($0.meaning)" })
      .joined(separator: "; ")
  }
}

/// The failure of a command: one line on standard error, and an exit status.
struct CommandFailure: Error {
  let status: ExitStatus
  /// The line, "subject: cause; next step"; nil if all messages were already printed.
  let message: String?

  init(_ status: ExitStatus, _ message: String? = nil) {
    self.status = status
    self.message = message
  }

  /// Creates the failure for a store's error.
  init(_ error: StoreError, store: String) {
    switch error {
    case .busy:
      self.init(.busy, "\(store): the store is busy, another process is using it; try again later")
    case .full(let cause):
      self.init(.inputOutput, "\(cause); free some space and run the command again; all saved data is kept")
    case .readOnly(let cause), .cannotOpen(let cause):
      let kind = try? FileManager.default.attributesOfItem(atPath: store)[.type] as? FileAttributeType
      let isFile = kind == .typeRegular || kind == .typeSymbolicLink
      let isAllowed = access(store, R_OK | W_OK) == 0 && access(FilePath.folder(of: store), W_OK) == 0
      let advice =
        isAllowed
        ? "try again"
        : "you need permission to read the store and its folder, and to write them if the command saves"
      self.init(.cannotCreate, cause + (isFile ? "; \(advice)" : "; name another file with --store"))
    case .corrupt(let cause):
      self.init(
        .badInput,
        "\(cause), the store is corrupt or not a store; it was not changed. Restore a backup, or copy what can be "
          + "read with newsimport store check --repair FILE")
    case .incompatible(let cause):
      self.init(
        .badInput,
        "\(cause); another program has changed the store; restore a backup, or copy it with newsimport store check --repair FILE"
      )
    case .foreign(let cause):
      self.init(.badInput, "\(cause): not a newsimport store; name another file with --store")
    case .newer(let version, let known):
      self.init(
        .badInput,
        "\(store): the store has version \(version), newer than this program's \(known); use a newer newsimport"
      )
    case .older(let version, let known):
      self.init(
        .badInput,
        "\(store): the store has version \(version), older than \(known), and is read-only; open it for writing once"
      )
    case .inputOutput(let cause), .invalid(let cause), .request(let cause):
      self.init(.inputOutput, "\(cause); what was saved before is kept")
    case .validation(let error):
      self.init(.inputOutput, "\(store): \(error); what was saved before is kept")
    case .history(let error):
      self.init(.badInput, "\(store): \(error)")
    case .notFound(let id):
      self.init(.busy, "\(store): \(id) was removed meanwhile; try again")
    case .conflict:
      self.init(.busy, "\(store): another process changed the same data; try again")
    }
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
