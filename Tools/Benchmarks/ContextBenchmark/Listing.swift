import Foundation
import ManagedContext

/// Lists of 100,000 objects that follow changes.
@MainActor
struct Listing {
  private static let count = 100_000
  private static let edits = 500
  private let coordinator: PersistentStoreCoordinator

  init(path: String) throws {
    coordinator = try Sample.coordinator(path: path)
    try BatchInserts.write(Self.count, to: coordinator)
  }

  /// Returns the cost of an edit in the main context with a list sorted by the attribute.
  func millisecondsPerEdit(batchSize: Int) throws -> Double {
    let main = MainContext(parent: coordinator, mergesChanges: false)
    let list = try list(main, batchSize: batchSize)
    let start = cpuSeconds()
    for edit in 0..<Self.edits {
      guard let sample = main.context.object(Sample.self, with: list.fetchedIDs[edit * 199 % Self.count])
      else {
        throw StoreError.invalid("object \(edit) does not exist")
      }
      sample.title = Sample.title(edit * 131 % Self.count)
      try list.processPendingChanges()
    }
    return (cpuSeconds() - start) * 1000 / Double(Self.edits)
  }

  /// Returns the main queue's cost of merging another context's save.
  func millisecondsPerMergedSave() throws -> Double {
    let main = MainContext(parent: coordinator)
    main.mergeInterval = 3600
    let list = try list(main, batchSize: 100)
    let writer = ManagedObjectContext(parent: coordinator)
    var seconds = 0.0
    for edit in 0..<Self.edits {
      guard let sample = writer.object(Sample.self, with: list.fetchedIDs[edit * 199 % Self.count]) else {
        throw StoreError.invalid("object \(edit) does not exist")
      }
      sample.title = Sample.title(edit * 137 % Self.count)
      try writer.save()
      let start = cpuSeconds()
      try main.flush()
      seconds += cpuSeconds() - start
    }
    return seconds * 1000 / Double(Self.edits)
  }

  /// Saves records in groups of five through the main context, with a list that shows all of them or none.
  static func secondsForRecords(_ records: Int, path: String, isShown: Bool) throws -> Double {
    let main = MainContext(parent: try Sample.coordinator(path: path), mergesChanges: false)
    let list =
      isShown
      ? FetchedResultsController(main, FetchRequest(Sample.self, sortedBy: [.ascending(\.title)])) : nil
    try list?.performFetch()
    let start = cpuSeconds()
    for record in 0..<records {
      main.context.insert(Sample.self).fill(record * 7919 % records)
      if record % 5 == 4 {
        try main.context.save()
        try list?.processPendingChanges()
      }
    }
    guard list == nil || list?.count == records else { throw StoreError.invalid("the list is incomplete") }
    return cpuSeconds() - start
  }

  private func list(_ main: MainContext, batchSize: Int) throws -> FetchedResultsController<Sample> {
    let list = FetchedResultsController(
      main, FetchRequest(Sample.self, sortedBy: [.ascending(\.title)], batchSize: batchSize))
    try list.performFetch()
    return list
  }
}
