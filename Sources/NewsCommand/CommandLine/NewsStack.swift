import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// The program's contexts over its store: the root that writes, and the main queue's context.
///
/// When the stack is released, it closes the store, so that a file is complete without its log.
@MainActor
final class NewsStack {
  /// The main store's location.
  let location: StoreLocation
  /// The coordinator for the store and its attached stores.
  let coordinator: PersistentStoreCoordinator
  /// The only writer.
  let root: RootContext
  /// The main store, which is written.
  let store: any NewsStore
  /// The time by the store's clock, with which dates in the store are compared.
  var now: Date { store.now() }
  /// The attached stores that are read together with it.
  var attached: [OpenAttachment] = []
  /// The context that commands read from. It merges the workers' saves.
  let main: MainContext

  /// Queries to the main context.
  var source: DataSource { DataSource(main.context) }

  // `region add`, `opml import` and `store attach` create a missing store (``init(_:)``); all other
  // commands need an existing one.

  /// Opens the store for a command that does not create one.
  ///
  /// - Returns: Nil if the user has not named a store, and the default one does not exist yet.
  /// - Throws: ``CommandFailure`` with the store's path and cause; status 66 if the user has named a store
  ///   that does not exist.
  static func existing(_ options: StoreOptions, for use: Use = .writing) throws -> NewsStack? {
    if let stack = try ifThere(options, for: use) { return stack }
    if isNamed(options) { throw noStore(options) }
    return nil
  }

  /// Opens the store like ``existing(_:for:)``, for a command that works without one, or creates one later.
  static func ifThere(_ options: StoreOptions, for use: Use = .writing) throws -> NewsStack? {
    let location = location(options)
    return try location.open(for: use).map { NewsStack($0, at: location) }
  }

  /// Returns true if the user has named the store.
  static func isNamed(_ options: StoreOptions) -> Bool {
    options.store != nil || StoreOptions.ofEnvironment != nil
  }

  /// Opens the store like ``existing(_:)``, for a command that does not work without a store.
  ///
  /// - Parameter region: The region that the user has named; nil for none.
  /// - Throws: ``CommandFailure`` with status 66 if the store does not exist.
  static func needed(
    _ options: StoreOptions, for use: Use = .writing, region: String? = nil
  ) throws -> NewsStack {
    guard let stack = try ifThere(options, for: use) else { throw noStore(options, region: region) }
    return stack
  }

  static func noStore(_ options: StoreOptions, region: String? = nil) -> CommandFailure {
    let name = region.map(shellWord) ?? "NAME"
    return CommandFailure(
      .noInput,
      "\(region.map { "\(printable($0)): no such region: " } ?? "")\(printable(location(options).name)): no such store; "
        + "newsimport region add \(name) URL creates one")
  }

  /// Opens only the store, for reading. A store from an older version is migrated first.
  ///
  /// - Throws: ``CommandFailure``, with status 66 if the store does not exist.
  static func readOnly(_ options: StoreOptions) throws -> any NewsStore {
    guard let store = try location(options).open(for: .reading) else { throw noStore(options) }
    return store
  }

  /// Returns true if the store exists, or if that cannot be determined; opening it then reports the cause.
  static func isThere(_ options: StoreOptions) -> Bool { location(options).isThere }

  /// The purpose for opening a store.
  enum Use {
    /// Reading only, like ``readOnly(_:)``: it does not wait for other processes' locks.
    case reading
    case writing
  }

  /// Opens the store for writing; a missing one is created.
  ///
  /// - Throws: ``CommandFailure`` with the store's location and the cause.
  convenience init(_ options: StoreOptions) throws {
    let location = Self.location(options)
    self.init(try location.create(), at: location)
  }

  private init(_ store: any NewsStore, at location: StoreLocation) {
    (self.store, self.location) = (store, location)
    coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    root = RootContext(coordinator: coordinator, author: TransactionAuthor.running)
    main = MainContext(parent: root)
  }

  isolated deinit {
    root.close()
    // If another process reads a file, it keeps its log, which is harmless.
    try? store.close()
  }

  /// Runs `body`, and converts a store's error to the command's failure.
  func reading<Value>(_ body: () throws -> Value) throws -> Value { try location.checking(body) }

  /// Runs `body`, which saves, and converts a store's error to the command's failure.
  func saving<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as StoreError {
      throw CommandFailure(error, store: location)
    }
  }

  /// Returns the pauses that servers have requested and that have not ended at `now`.
  func pauses(at now: Date) throws -> ServerPauses {
    try reading { ServerPauses(of: try source.pausedFeeds(at: now), try source.hostLimits(), at: now) }
  }

  /// Changes the main context in `body`, and saves it. If another process has changed the same data, such as
  /// by creating the region or by deleting an article, `body` runs again on the current data.
  ///
  /// - Throws: ``CommandFailure`` from the store; for a conflict only if it persists.
  func change<Value>(_ body: () throws -> Value) async throws -> Value {
    var attempts = 0
    while true {
      let value = try reading(body)
      do throws(StoreError) {
        try await main.save()
        return value
      } catch {
        attempts += 1
        guard error.isOvertaken, attempts < StoreError.mostAttempts else {
          throw CommandFailure(error, store: location)
        }
        main.context.reset()
      }
    }
  }

  /// Saves the main context's changes.
  func save() async throws { _ = try await saving { try await main.save() } }

  /// Returns the region with a name.
  ///
  /// - Throws: ``CommandFailure`` with status 66 if the region does not exist.
  func region(named name: String) throws -> Region {
    guard let region = try reading({ try source.region(named: name) }) else {
      if let failure = Self.queryFailure(name) { throw failure }
      // An attached store may have a region with the same name.
      let names = distinct(try reading { try source.regions().map(\.name) })
      throw CommandFailure(
        .noInput, "\(named(name)): no such region; \(regionHint(name, names))")
    }
    return region
  }

  /// Returns the failure when a query was given to a command for regions; nil for another name.
  private static func queryFailure(_ name: String) -> CommandFailure? {
    guard name.hasPrefix("@") else { return nil }
    return CommandFailure(
      .usage, "\(printable(name)): a query chooses articles, and this command takes the names of regions")
  }

  /// Returns the location of the store that the options name.
  static func location(_ options: StoreOptions) -> StoreLocation {
    StoreLocation(options.store ?? StoreOptions.ofEnvironment ?? defaultPath)
  }

  private static var defaultPath: String {
    UserEnvironment.folder("XDG_DATA_HOME", orInHome: ".local/share") + "/newsimport/news.sqlite"
  }
}
