import ArticleHooks
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput
import WebAddress

/// The findings of `config check` about a hook.
@MainActor
struct HookCheck {
  let hook: Hook
  /// True if the store has the region or the feed, or all that the query names; nil without a store.
  private(set) var isStored: Bool?
  /// The likely name for a region that is not in the store.
  private(set) var suggestion: String?
  /// The reason why the hook cannot run; nil if none is found.
  private(set) var problem: String?

  /// - Parameter stack: Nil if no store exists yet.
  init(_ hook: Hook, _ stack: NewsStack?, _ configuration: LoadedConfiguration) throws {
    self.hook = hook
    problem = HookProgram.problem(of: hook.command[0], ProcessInfo.processInfo.environment)?
      .text(of: hook.command[0])
    guard let stack else { return }
    switch hook.articles {
    case .region(let name):
      let names = try stack.reading { try stack.source.regions() }.map(\.name)
      isStored = names.contains { $0.utf8.elementsEqual(name.utf8) }
      suggestion = isStored == true ? nil : nearestWord(to: name, among: names)
    case .feed(let address):
      let all = try stack.reading { try stack.source.context.fetchValues(FetchRequest(Feed.self), \.url) }
      isStored = all.contains { $0.identity == address.identity }
    case .query:
      do {
        _ = try HookMatcher(hook, stack, configuration)
        isStored = true
      } catch let failure as CommandFailure {
        isStored = false
        problem = failure.message
      }
    }
  }

  /// The problem as a configuration error; nil without one.
  var error: ConfigurationError? {
    problem.map {
      // Places in errors name a feed's table in this way.
      let table = if case .feed(let address) = hook.articles { "feed \(address.text)" } else { hook.table }
      return ConfigurationError("\(table).\(hook.kind.rawValue)", $0)
    }
  }
}
