import Foundation
import ManagedContext
import SQLiteStore
import Synchronization

/// A main context with 10,000 registered objects.
@MainActor
struct Reading {
  private static let count = 10_000
  private let coordinator: PersistentStoreCoordinator
  private let main: MainContext
  private let samples: [Sample]

  init(path: String) throws {
    coordinator = try Sample.coordinator(path: path)
    let writer = ManagedObjectContext(parent: coordinator)
    for row in 0..<Self.count { writer.insert(Sample.self).fill(row) }
    try writer.save()
    main = MainContext(parent: coordinator, mergesChanges: false)
    samples = try main.context.fetch(FetchRequest(Sample.self))
  }

  func nanosecondsPerRead() throws -> Double {
    var best = Double.infinity
    for _ in 0..<5 {
      var sum: Int64 = 0
      let start = cpuSeconds()
      for _ in 0..<100 {
        for sample in samples { sum &+= sample.number }
      }
      let integers = (cpuSeconds() - start) / Double(100 * samples.count)
      var bytes = 0
      let middle = cpuSeconds()
      for _ in 0..<100 {
        for sample in samples { bytes &+= sample.title.utf8.count }
      }
      let texts = (cpuSeconds() - middle) / Double(100 * samples.count)
      best = min(best, max(integers, texts))
      guard sum != 0, bytes != 0 else { throw StoreError.invalid("nothing was read") }
    }
    return best * 1e9
  }

  func millisecondsPerMerge() throws -> Double {
    let writer = ManagedObjectContext(parent: coordinator)
    var times: [Double] = []
    for round in 0..<11 {
      let edited = try writer.fetch(FetchRequest(Sample.self, offset: round * 37, limit: 1000))
      for sample in edited { sample.number += 1 }
      let changes = try writer.save()
      let start = cpuSeconds()
      let merged = try main.context.mergeChanges(from: changes)
      times.append((cpuSeconds() - start) * 1000)
      guard merged.count == 1000 else { throw StoreError.invalid("merged \(merged.count)") }
    }
    return median(times)
  }

  /// Returns the number of objects that still exist after their contexts are gone.
  func leakedObjects() throws -> Int {
    let before = Sample.living.withLock { $0 }
    for _ in 0..<1000 {
      let context = ManagedObjectContext(parent: coordinator)
      let some = try context.fetch(FetchRequest(Sample.self, limit: 10))
      some.first?.title = "edited"
      context.insert(Sample.self).fill(1)
    }
    return Sample.living.withLock { $0 } - before
  }
}
