import Foundation
import ManagedContext
import NewsModel
import Threading

#if canImport(Glibc)
  import Glibc
#endif

/// A store that others write, and what they have saved in it since it was looked at last.
@MainActor
final class WatchedStore {
  private let path: String
  private let file: FileNumber?
  private let coordinator: PersistentStoreCoordinator
  private let news = Locked(ContextChanges())
  private let main: MainContext
  private let regions: FetchedResultsController<Region>

  /// Opens the store: what is saved from now on is noted.
  ///
  /// - Parameters:
  ///   - date: Articles that were imported since then are noted, too; nil for none.
  ///   - wake: Called on a thread of the store's when there is something new.
  /// - Throws: ``CommandFailure``, with status 66 where there is no store.
  init(_ options: StoreOptions, since date: Date? = nil, wake: @escaping @Sendable () -> Void) throws {
    path = NewsStack.path(options)
    // Before the file is opened: another one that takes its place meanwhile is then found to be another.
    file = FileNumber(path)
    coordinator = PersistentStoreCoordinator(
      model: NewsModel.model, store: try NewsStack.readOnly(options))
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
      if let date {
        let articles = try DataSource(context()).articles(importedSince: date)
        news.withLock { news in
          for article in articles { news.inserted.insert(article) }
        }
      }
    } catch {
      throw CommandFailure(error, store: path)
    }
  }

  /// Whether the file is where it was, and no other has its place.
  var isThere: Bool { file != nil && FileNumber(path) == file }

  /// The names of the regions, as far as what was saved has been merged.
  var regionNames: [String] { regions.fetchedObjects.map(\.name) }

  /// An element whenever a region came, went or got another name; ends with the store.
  func regionChanges() -> AsyncStream<FetchedChanges> { regions.changes() }

  /// What was saved since the last call.
  func takeNews() -> ContextChanges {
    news.withLock { news in
      defer { news = ContextChanges() }
      return news
    }
  }

  /// A context of its own for what is read once.
  func context() -> ManagedObjectContext { ManagedObjectContext(parent: coordinator) }
}

/// Which file is at a path, whatever it is called.
private struct FileNumber: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Nil where there is no file, or nothing in it.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
