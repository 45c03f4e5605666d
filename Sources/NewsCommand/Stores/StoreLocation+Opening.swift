import FeedImport
import Foundation
import Glibc
import ManagedContext
import NewsModel
import PostgreSQLStore
import SQLiteStore
import TextOutput

/// The only place that opens a store of either kind.
extension StoreLocation {
  /// Sets up the store libraries; called once, before any store is opened.
  static func prepareLibraries() {
    SQLiteLibrary.configureForImports()
  }

  /// Opens the store for writing; a missing one is created.
  ///
  /// - Throws: ``CommandFailure`` with the location and the cause.
  func create() throws -> any NewsStore {
    try checking { () -> any NewsStore in
      switch self {
      case .file(let path): try NewsStack.writable(path)
      case .server(let address):
        try PostgreSQLStore(
          address, model: NewsModel.model, application: NewsModel.applicationID,
          views: NewsModel.views(.postgresql), options: NewsStack.serverOptions)
      }
    }
  }

  /// Opens the store, if it exists. An older version is migrated.
  ///
  /// - Throws: ``CommandFailure`` with the location and the cause.
  func open(for use: NewsStack.Use) throws -> (any NewsStore)? {
    guard isThere else { return nil }
    return try checking { () -> (any NewsStore)? in
      switch self {
      case .file(let path): try Self.open(path, for: use)
      case .server(let address):
        try PostgreSQLStore.existing(
          address, isWritten: use == .writing, model: NewsModel.model,
          application: NewsModel.applicationID, options: NewsStack.serverOptions)
      }
    }
  }

  /// Opens the store for reading, if it exists in this program's version. Nothing is written.
  func peek() throws(StoreError) -> (any NewsStore)? {
    switch self {
    case .file(let path): try NewsStack.attached(path)
    case .server(let address):
      try PostgreSQLStore.existing(
        address, isWritten: false, model: NewsModel.model, application: NewsModel.applicationID)
    }
  }

  /// Makes a new store from what `body` writes. It exists only when it is complete.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if a store exists already. After a failure, no store is left.
  func make(_ body: (any StoreCopyTarget) throws(StoreError) -> Void) throws(StoreError) {
    switch self {
    case .file(let path):
      try SQLiteStore.make(path, model: NewsModel.model, identity: NewsStack.identity, body)
    case .server(let address):
      try PostgreSQLStore.make(
        address, model: NewsModel.model, application: NewsModel.applicationID,
        views: { NewsModel.views(.postgresql) }, body)
    }
  }

  private static func open(_ path: String, for use: NewsStack.Use) throws(StoreError) -> SQLiteStore {
    guard use == .reading else { return try NewsStack.writable(path) }
    do throws(StoreError) {
      return try NewsStack.attached(path)
    } catch .older {
      try? NewsStack.writable(path).close()
    }
    return try NewsStack.attached(path)
  }

  /// Runs `body`, and converts an error of the store here to the command's failure.
  func checking<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw CommandFailure(error, store: self)
    }
  }
}

/// Stores in files, including attached ones.
extension NewsStack {
  /// Opens a store in a file for writing; an older version is migrated.
  ///
  /// - Parameter isDurable: True if each transaction must be on the disk when its save ends.
  nonisolated static func writable(
    _ path: String, isDurable: Bool = false
  ) throws(StoreError) -> SQLiteStore {
    var options = SQLiteStoreOptions()
    options.isDurable = isDurable
    options.didWait = reporter(ofWaitFor: "another process that uses the store")
    return try SQLiteStore(path: path, model: NewsModel.model, identity: identity, options: options)
  }

  /// Returns a closure that prints on a terminal what the program waits for.
  nonisolated fileprivate static func reporter(ofWaitFor reason: String) -> @Sendable () -> Void {
    guard isatty(STDERR_FILENO) != 0 else { return {} }
    let clear = ProcessInfo.processInfo.environment["TERM"] == "dumb" ? "" : "\r\u{1B}[K"
    // The waiting thread may be the main queue's, so the message is printed directly.
    return { FileHandle.standardError.write(Data("\(clear)newsimport: waiting for \(reason)\n".utf8)) }
  }

  nonisolated fileprivate static var serverOptions: PostgreSQLStoreOptions {
    var options = PostgreSQLStoreOptions()
    options.didWait = reporter(ofWaitFor: "the server of the store")
    // The conversions of older versions are for files.
    options.migrates = false
    return options
  }

  /// Opens a store in a file for reading.
  ///
  /// - Parameter verifies: True if the whole file is verified first.
  nonisolated static func attached(_ path: String, verifies: Bool = false) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(readOnlyPath: path, model: NewsModel.model, identity: identity, verifies: verifies)
  }

  nonisolated static let identity = StoreIdentity(
    applicationID: NewsModel.applicationID, views: NewsModel.views(.sqlite),
    conversions: NewsModel.conversions, computedColumns: NewsModel.computedColumns,
    functions: [NewsModel.storyKey: StoryKey.of])
}

extension StoreLocation {
  /// Checks that the store is a file, before anything is opened.
  ///
  /// - Throws: ``CommandFailure`` with status 64 if it is on a server.
  @discardableResult
  func needsFile(for what: String) throws -> String {
    guard case .file(let path) = self else { throw noFile(for: what) }
    return path
  }

  fileprivate func noFile(for what: String) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(printable(name)): \(what) does not work with a store on a server\(StoreLocation.reason(what))")
  }

  /// The reason why something works only with a store in a file, after a colon; empty for none.
  private static func reason(_ what: String) -> String {
    switch what {
    case "store attach":
      ": the attached file would be on one machine only; copy its articles with newsimport list --all --copies --json --full and newsimport import"
    case "archive":
      ": the file would be on one machine only; newsimport prune deletes old articles, newsimport list --all --copies --json --full writes them first"
    default: ""
    }
  }
}
