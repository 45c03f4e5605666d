import FeedImport
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput

/// The contexts of the program over its store: the root that writes, and the main queue's context.
///
/// With its end the store is closed, so that the file is whole without its log.
@MainActor
final class NewsStack {
  /// The store's file.
  let path: String
  /// The store, and those that are attached to it.
  let coordinator: PersistentStoreCoordinator
  /// The only writer.
  let root: RootContext
  /// The file that is written.
  let store: SQLiteStore
  /// What the command reads, and what learns of the workers' saves.
  let main: MainContext

  /// Questions to the main context.
  var source: DataSource { DataSource(main.context) }

  // `region add`, `opml import` and `store attach` make a store where there is none (``init(_:for:)``); all others need one.

  /// Opens the store of a command that only reads or changes what is there.
  ///
  /// - Returns: Nil where nobody has named a store, and there is none at the usual place yet; none is made.
  /// - Throws: ``CommandFailure`` with the store's path and cause, with status 66 where the user has named a store that does
  ///   not exist.
  static func existing(_ options: StoreOptions, for use: Use = .writing) throws -> NewsStack? {
    if let stack = try ifThere(options, for: use) { return stack }
    if isNamed(options) { throw noStore(options) }
    return nil
  }

  /// As ``existing(_:for:)``, for a command that does without a store, or makes one later.
  static func ifThere(_ options: StoreOptions, for use: Use = .writing) throws -> NewsStack? {
    isThere(path(options)) ? try NewsStack(options, for: use) : nil
  }

  /// Whether the user says where the store is.
  static func isNamed(_ options: StoreOptions) -> Bool {
    options.store != nil || ProcessInfo.processInfo.environment["NEWSIMPORT_STORE"]?.isEmpty == false
  }

  /// As ``existing(_:)``, for a command that needs the region of a name.
  ///
  /// - Throws: ``CommandFailure`` with status 66 where there is no store.
  static func existing(
    _ options: StoreOptions, forRegion name: String, for use: Use = .writing
  ) throws -> NewsStack {
    if let stack = try ifThere(options, for: use) { return stack }
    throw CommandFailure(
      .noInput,
      "\(name): no such region, there is no store at \(path(options)) yet; add one: newsimport region add \(shellWord(name)) URL"
    )
  }

  /// As ``existing(_:)``, for a command that is of no use without a store.
  ///
  /// - Throws: ``CommandFailure`` with status 66 where there is none.
  static func needed(_ options: StoreOptions, for use: Use = .writing) throws -> NewsStack {
    guard let stack = try existing(options, for: use) else { throw noStore(options) }
    return stack
  }

  static func noStore(_ options: StoreOptions) -> CommandFailure {
    CommandFailure(
      .noInput, "\(printable(path(options))): no such store; newsimport region add NAME URL makes one")
  }

  /// The store's file alone, which is read and not written, but for one of an older version: that is migrated first.
  ///
  /// - Throws: ``CommandFailure``, with status 66 where there is no store.
  static func readOnly(_ options: StoreOptions) throws -> SQLiteStore {
    let path = path(options)
    guard isThere(path) else { throw noStore(options) }
    do throws(StoreError) {
      return try attached(path)
    } catch .older {
      _ = try needed(options)
    } catch {
      throw CommandFailure(error, store: path)
    }
    do throws(StoreError) {
      return try attached(path)
    } catch {
      throw CommandFailure(error, store: path)
    }
  }

  /// Whether there is a store, or something that keeps us from looking, which opening it tells.
  static func isThere(_ options: StoreOptions) -> Bool { isThere(path(options)) }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return ![ENOENT, ENOTDIR].contains(errno) }
    // An empty file becomes a store when something is saved in it.
    return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
  }

  /// Whether the user may write the store.
  static func isWritable(_ options: StoreOptions) -> Bool {
    let folder = (path(options) as NSString).deletingLastPathComponent
    return unsafe access(path(options), W_OK) == 0 && access(folder.isEmpty ? "." : folder, W_OK) == 0
  }

  /// What a store is opened for.
  enum Use {
    /// As ``readOnly(_:)``: no lock of another process is waited for.
    case reading
    case writing
  }

  /// Opens the store; to be written, it is made where there is none.
  ///
  /// - Throws: ``CommandFailure`` with the store's path and cause.
  init(_ options: StoreOptions, for use: Use = .writing) throws {
    path = Self.path(options)
    let opened = use == .reading ? try Self.readOnly(options) : nil
    do throws(StoreError) {
      if let opened { store = opened } else { store = try Self.writable(path) }
      coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
      root = RootContext(coordinator: coordinator)
      main = MainContext(parent: root)
    } catch {
      throw CommandFailure(error, store: path)
    }
  }

  /// Adds the attached stores to what is read from now on. One that cannot be read is told on stderr and left out.
  func readAttachments() throws {
    for attachment in try reading({ try source.attachments() }) {
      do throws(StoreError) {
        coordinator.addReadOnlyStore(try Self.attached(attachment.path))
      } catch .older {
        Output.error.tell(
          "newsimport: attached store \(printable(attachment.name)): an older version has made it; its articles are left out "
            + "until newsimport stats --store \(shellWord(attachment.path)) has brought it up to date\n")
      } catch {
        Output.error.tell(
          "newsimport: attached store \(printable(attachment.name)): \(printable("\(error)")); "
            + "its articles are left out; newsimport store detach \(printable(attachment.name)) forgets it\n")
      }
    }
  }

  /// Opens a news store to be written; one of an older version is migrated.
  nonisolated static func writable(_ path: String) throws(StoreError) -> SQLiteStore {
    var options = SQLiteStoreOptions()
    if isatty(STDERR_FILENO) != 0 {
      // The thread that waits may be the main queue's own, so that it is not asked to print.
      let clear = ProcessInfo.processInfo.environment["TERM"] == "dumb" ? "" : "\r\u{1B}[K"
      options.didWait = {
        let words = "newsimport: waiting for another process that writes the store\n"
        FileHandle.standardError.write(Data((clear + words).utf8))
      }
    }
    return try SQLiteStore(path: path, model: NewsModel.model, identity: identity, options: options)
  }

  /// Opens a news store to be read.
  ///
  /// - Parameter verifies: Whether the whole file is checked first.
  nonisolated static func attached(_ path: String, verifies: Bool = false) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(readOnlyPath: path, model: NewsModel.model, identity: identity, verifies: verifies)
  }

  private nonisolated static let identity = StoreIdentity(
    applicationID: NewsModel.applicationID, views: NewsModel.views,
    conversions: NewsModel.conversions)

  isolated deinit {
    root.close()
    // A file that another process reads keeps its log, which is as good.
    try? store.close()
  }

  /// Runs `body`, turning a store's error into the command's.
  func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw CommandFailure(error, store: path)
    }
  }

  /// What servers have asked for, as far as it holds at `now`.
  func pauses(at now: Date) throws -> ServerPauses {
    try reading { ServerPauses(of: try source.pausedFeeds(at: now), at: now) }
  }

  /// Changes the main context by `body`, and saves that. Where another process changed the same thing first, such as by
  /// making the region, or by deleting an article that was to be marked, `body` runs again on what is there now.
  ///
  /// - Throws: ``CommandFailure`` of the store, of a conflict only when it does not end.
  func change<Value>(_ body: () throws -> Value) async throws -> Value {
    var attempts = 0
    while true {
      let value = try reading(body)
      do throws(StoreError) {
        try await main.save()
        return value
      } catch {
        attempts += 1
        guard Self.isOvertaken(error), attempts < Self.mostAttempts else {
          throw CommandFailure(error, store: path)
        }
        main.context.reset()
      }
    }
  }

  private static let mostAttempts = 20

  /// Whether a save failed because of what another process did since its changes were decided.
  private static func isOvertaken(_ error: StoreError) -> Bool {
    switch error {
    case .conflict: true
    case .validation(let mistake): mistake.cause == .brokenRelationship
    default: false
    }
  }

  /// Saves what the main context changed.
  func save() async throws {
    do throws(StoreError) {
      try await main.save()
    } catch {
      throw CommandFailure(error, store: path)
    }
  }

  /// The region of a name.
  ///
  /// - Throws: ``CommandFailure`` with status 66 when there is none.
  func region(named name: String) throws -> Region {
    guard let region = try reading({ try source.region(named: name) }) else {
      // An attached store may have a region of the same name.
      let names = distinct(try reading { try source.regions().map(\.name) })
      throw CommandFailure(
        .noInput, "\(named(name)): no such region; \(regionHint(name, names))")
    }
    return region
  }

  /// The path of the store that the options name.
  static func path(_ options: StoreOptions) -> String {
    let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
    if let path = options.store { return path }
    if let path = environment["NEWSIMPORT_STORE"] { return path }
    // A relative XDG_DATA_HOME is to be ignored (XDG Base Directory Specification).
    let folder =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
    return folder + "/newsimport/news.sqlite"
  }
}
