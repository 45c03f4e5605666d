import TextOutput
import Foundation
import Glibc
import ManagedContext
import SQLiteStore

extension CommandFailure {
  /// Creates the failure for a store's error.
  init(_ error: StoreError, store: StoreLocation) {
    let name = store.name
    switch error {
    case .busy:
      self.init(.busy, "\(name): the store is busy, another process is using it; try again later")
    case .unavailable(let cause):
      self.init(.busy, "\(cause); try again later")
    case .full(let cause):
      self.init(.inputOutput, "\(cause); free some space and run the command again; all saved data is kept")
    case .readOnly(let cause), .cannotOpen(let cause):
      self.init(.cannotCreate, cause + store.adviceForOpening)
    case .corrupt(let cause):
      self.init(
        .badInput,
        "\(cause). The store is corrupt or not a store; it was not changed. \(store.adviceForRepair.prefix(1).uppercased() + store.adviceForRepair.dropFirst())"
      )
    case .incompatible(let cause):
      self.init(.badInput, "\(cause); another program has changed the store; \(store.adviceForRepair)")
    case .foreign(let cause):
      self = store.foreign(cause)
    case .newer(let version, let known):
      self.init(
        .badInput,
        "\(name): the store has version \(version), newer than this program's \(known); use a newer newsimport"
      )
    case .older(let version, let known):
      self.init(
        .badInput,
        "\(name): the store has version \(version), older than this program's \(known), and \(store.adviceForMigration)"
      )
    case .inputOutput(let cause), .invalid(let cause), .request(let cause):
      self.init(.inputOutput, "\(cause); what was saved before is kept")
    case .cancelled: self.init(.inputOutput, "\(name): \(error); what was saved before is kept")
    case .validation, .validations:
      let broken = error.violations.prefix(10).map(\.description).joined(separator: "; ")
      self.init(.inputOutput, "\(name): \(broken); what was saved before is kept")
    case .history(let error):
      self.init(.badInput, "\(name): \(error)")
    case .notFound(let id):
      self.init(.busy, "\(name): \(id) was removed meanwhile; try again")
    case .conflict:
      self.init(.busy, "\(name): another process changed the same data; try again")
    }
  }
}

/// The next steps after errors. For a server, the cause usually includes them.
extension StoreLocation {
  fileprivate var adviceForOpening: String {
    guard case .file(let path) = self else { return "" }
    let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    guard kind == .typeRegular || kind == .typeSymbolicLink else { return "; name another file with --store" }
    let isAllowed = access(path, R_OK | W_OK) == 0 && access(FilePath.folder(of: path), W_OK) == 0
    return isAllowed
      ? "; try again"
      : "; you need permission to read the store and its folder, and to write them if the command saves"
  }

  /// The next step if the store has an older version. A file is migrated when it is opened for writing.
  fileprivate var adviceForMigration: String {
    guard case .server = self else { return "is read-only; open it for writing once" }
    return """
      a store on a server is not converted; copy it to a file with the newsimport that made it (store copy), and the file to an \
      empty schema with this one
      """
  }

  /// The next step if a copy cannot be made there.
  var adviceForCopies: String {
    guard case .file = self else { return "" }
    return "; name a file that does not exist yet, in a folder that exists"
  }

  /// The next step after damage.
  var adviceForRepair: String {
    guard case .file = self else { return "restore a backup" }
    return "restore a backup, or copy what can be read with newsimport store check --repair FILE"
  }

  /// The words that follow a message about a missing index.
  var adviceForIndex: String {
    guard case .file = self else { return "; store copy to an empty store makes all indexes" }
    return " until the next import adds it"
  }

  fileprivate func foreign(_ cause: String) -> CommandFailure {
    switch self {
    case .file: CommandFailure(.badInput, "\(cause): not a newsimport store; name another file with --store")
    case .server: CommandFailure(.cannotCreate, cause)
    }
  }
}
