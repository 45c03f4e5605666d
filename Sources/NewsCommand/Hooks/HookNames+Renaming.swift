import ArticleHooks
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import WebAddress

extension HookNames {
  /// Gives the positions and failures of a region's hooks to the hooks of its new name, so that they continue
  /// there once the configuration has it.
  @MainActor
  static func rename(from old: String, to new: String, in stack: NewsStack) async throws {
    for kind in Hook.Kind.allCases {
      let after = Hook.name(ofRegion: new, kind)
      // A hook of a former region with the new name keeps its position.
      guard try stack.reading({ try ChangeConsumers.find(Hook.consumer(of: after), in: stack.store) }) == nil
      else { continue }
      try await pass(Hook.name(ofRegion: old, kind), to: after, in: stack)
    }
  }

  /// Gives a hook's position and failures to another one. If that has a position, it gets only the failures.
  @MainActor
  static func pass(_ old: String, to new: String, in stack: NewsStack) async throws {
    do throws(StoreError) {
      guard let consumer = try ChangeConsumers.find(Hook.consumer(of: old), in: stack.store) else { return }
      try await HookFailures(stack.root).rename(from: old, to: new)
      if try ChangeConsumers.find(Hook.consumer(of: new), in: stack.store) == nil {
        try stack.store.acknowledge(
          consumer.token, position: consumer.position, by: Hook.consumer(of: new), at: consumer.seen,
          force: true)
      }
      try stack.store.removeConsumer(named: consumer.name)
    } catch .history {
      // The position belongs to another store. The hook says so when it runs.
    } catch {
      throw CommandFailure(error, store: stack.location)
    }
  }
}

extension HookRunner {
  /// Transfers positions and failures from removed hooks to the hooks at the feeds' new addresses.
  func followMovedFeeds() async throws {
    let consumers = try stack.reading { try stack.store.consumers() }
    let names = consumers.compactMap { Hook.name(ofConsumer: $0.name) }
    let gone = names.filter { name in !hooks.contains { $0.name.utf8.elementsEqual(name.utf8) } }
    if gone.isEmpty { return }
    for hook in hooks {
      guard case .feed(let address) = hook.articles else { continue }
      for name in gone {
        guard let former = Hook.address(inName: name, hook.kind),
          try stack.reading({ try stack.source.feed(at: address, wasAt: former) })
        else { continue }
        try await HookNames.pass(name, to: hook.name, in: stack)
      }
    }
  }
}

extension DataSource {
  /// Returns whether the feed of an address had another one before, in any spelling.
  @MainActor
  fileprivate func feed(at address: WebAddress, wasAt former: WebAddress) throws(StoreError) -> Bool {
    if former.identity == address.identity { return true }
    for place in try context.fetch(FetchRequest(FormerAddress.self))
    where place.url.identity == former.identity {
      let feed = try context.fetchValues(FetchRequest(Feed.self, where: .ids([place.feed])), \.url).first
      if feed?.identity == address.identity { return true }
    }
    return false
  }
}

extension Configuration {
  /// Returns the places that name a region, as text; nil without such places.
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
