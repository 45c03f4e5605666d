import ArgumentParser
import ManagedContext
import NewsModel
import TextOutput

extension CompletionKind {
  /// Completes the regions in the store that the command line names.
  static var regions: CompletionKind {
    .custom { words, _, _ in storedRegions(words).filter { withEscapes($0) == $0 } }
  }
}

/// Returns the store's region names; empty if it cannot be read, because a completion cannot print errors.
///
/// - Parameter words: The command line.
private func storedRegions(_ words: [String]) -> [String] {
  var arguments: [String] = []
  if let index = words.lastIndex(of: "--store"), index + 1 < words.count {
    arguments = ["--store", words[index + 1]]
  } else if let word = words.last(where: { $0.hasPrefix("--store=") }) {
    arguments = [word]
  }
  return MainActor.assumeIsolated {
    guard let options = try? StoreOptions.parse(arguments),
      let store = try? NewsStack.location(options).peek()
    else { return [] }
    let coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    let regions = try? DataSource(ManagedObjectContext(parent: coordinator)).regions()
    return regions?.map(\.name) ?? []
  }
}
