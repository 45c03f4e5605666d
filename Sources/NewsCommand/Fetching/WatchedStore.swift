import Foundation
import ManagedContext
import NewsModel
import Threading

/// A store that other processes write, with the changes that they saved since the last look.
@MainActor
final class WatchedStore {
  private let location: StoreLocation
  let store: any NewsStore
  private let presence: StorePresence
  private let coordinator: PersistentStoreCoordinator
  private let news = Locked(ContextChanges())
  private let main: MainContext
  private let regions: FetchedResultsController<Region>

  /// Opens the store, and records all changes from now on.
  ///
  /// - Parameter wake: Called on a store thread after each change.
  /// - Throws: ``CommandFailure``, with status 66 if the store does not exist.
  init(_ options: StoreOptions, wake: @escaping @Sendable () -> Void) throws {
    location = NewsStack.location(options)
    presence = StorePresence(location)
    store = try NewsStack.readOnly(options)
    coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    main = MainContext(parent: coordinator)
    regions = FetchedResultsController(main, FetchRequest(Region.self, sortedBy: [.ascending(\.name)]))
    let news = news
    do throws(StoreError) {
      try coordinator.mergeRemoteChanges { transactions in
        news.withLock { news in
          for transaction in transactions { news.formUnion(transaction.changes) }
        }
        wake()
      }
      try regions.performFetch()
    } catch {
      throw CommandFailure(error, store: location)
    }
  }

  /// True if the store is still at its location and has not been replaced.
  var isThere: Bool { presence.isThere(store) }

  /// The region names, according to the changes merged so far.
  var regionNames: [String] { regions.fetchedObjects.map(\.name) }

  /// Returns a stream that yields when a region is added, removed or renamed. It ends with the store.
  func regionChanges() -> AsyncStream<FetchedChanges> { regions.changes() }

  /// Returns the changes saved since the last call.
  func takeNews() -> ContextChanges {
    news.withLock { news in
      defer { news = ContextChanges() }
      return news
    }
  }

  /// Puts back changes to articles that could not be read; the next ``takeNews()`` returns them again.
  func putBack(_ changes: ContextChanges, of articles: some Sequence<ManagedObjectID>) {
    var earlier = ContextChanges()
    for id in articles {
      if changes.inserted.contains(id) { earlier.inserted.insert(id) }
      earlier.updated[id] = changes.updated[id]
    }
    news.withLock { news in
      earlier.formUnion(news)
      news = earlier
    }
  }

  /// Returns a new context for data that is read once.
  func context() -> ManagedObjectContext { ManagedObjectContext(parent: coordinator) }
}
