import ArgumentParser
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

extension CompletionKind {
  /// Completes the regions in the store that the command line names.
  static var regions: CompletionKind {
    .custom { words, _, _ in stored(words) { try $0.regions().map(\.name) } }
  }

  /// Completes the addresses of feeds in the store that the command line names.
  static var feeds: CompletionKind {
    .custom { words, _, prefix in
      stored(words) { try $0.feedURLs(limit: mostFeeds).map { completion($0.withoutPassword, of: prefix) } }
        .filter { $0.utf8.starts(with: prefix.utf8) }
    }
  }

  /// Completes names that are separated by commas.
  static func names(_ names: [String]) -> CompletionKind {
    .custom { _, _, prefix in
      let known = prefix.lastIndex(of: ",").map { prefix[...$0] } ?? ""
      return names.map { known + $0 }
    }
  }

  /// The largest number of feeds among which a shell completes.
  private static let mostFeeds = 10_000

  /// Returns an address in the form that was begun. bash takes a colon for the end of a word, so addresses are
  /// offered without their schemes, which commands accept.
  private static func completion(_ address: String, of prefix: String) -> String {
    guard let slashes = address.firstRange(of: "://"), !prefix.hasPrefix("http") else { return address }
    let host = address[slashes.upperBound...]
    return prefix.hasPrefix("//") ? "//" + host : String(host)
  }
}

/// Returns the printable texts that `read` finds in the store; empty if it cannot be read, because a completion cannot
/// print errors.
///
/// - Parameter words: The command line.
private func stored(
  _ words: [String], _ read: @MainActor (DataSource) throws -> [String]
) -> [String] {
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
    let texts = try? read(DataSource(ManagedObjectContext(parent: coordinator)))
    return texts?.filter { withEscapes($0) == $0 } ?? []
  }
}
