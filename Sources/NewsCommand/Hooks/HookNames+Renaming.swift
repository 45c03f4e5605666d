import Foundation
import ManagedContext
import NewsModel
import SQLiteStore

extension HookNames {
  /// Gives the positions and failures of a region's hooks to the hooks of its new name, so that these continue there once the
  /// configuration has it.
  @MainActor
  static func rename(from old: String, to new: String, in stack: NewsStack) async throws {
    let failures = HookFailures(stack.root)
    do throws(StoreError) {
      let consumers = try stack.store.consumers()
      for kind in Hook.Kind.allCases {
        let (before, after) = (Hook.name(ofRegion: old, kind), Hook.name(ofRegion: new, kind))
        func find(_ hook: String) -> HistoryConsumer? {
          consumers.first { $0.name.utf8.elementsEqual(Hook.consumer(of: hook).utf8) }
        }
        // A hook of a former region with the new name keeps its position.
        guard let consumer = find(before), find(after) == nil else { continue }
        try await failures.rename(from: before, to: after)
        try stack.store.acknowledge(
          consumer.token, position: consumer.position, by: Hook.consumer(of: after), at: consumer.seen,
          force: true)
        try stack.store.removeConsumer(named: consumer.name)
      }
    } catch .history {
      // The position is of another store. The hook says so when it runs.
    } catch {
      throw CommandFailure(error, store: stack.path)
    }
  }
}

extension Configuration {
  /// Returns the places that name a region, as text; nil if there are none.
  func text(ofPlacesNaming region: String) -> String? {
    func isNamed(_ name: String) -> Bool { name.utf8.elementsEqual(region.utf8) }
    let tables = regions.keys.filter(isNamed).map { "[region.\($0)]" }
    let asked = queries.filter { $0.value.regions.contains(where: isNamed) }.keys.sorted().map {
      "[query.\($0)]"
    }
    let places = tables + asked
    return places.isEmpty ? nil : places.joined(separator: ", ")
  }
}
