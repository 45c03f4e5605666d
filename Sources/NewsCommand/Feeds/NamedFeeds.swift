import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Returns the addresses on the command line; `-` is replaced by the addresses in standard input.
///
/// - Parameter end: The message's end if no address is given.
/// - Throws: ``CommandFailure`` with status 65 if no address is given.
func givenAddresses(_ words: [String], orElse end: String = "nothing was done") throws -> [String] {
  guard let place = words.firstIndex(of: "-") else { return words }
  let listed = FeedList.addresses(in: try InputFile.read("-", limit: 256 << 20))
  let others = words[..<place] + listed + words[(place + 1)...].filter { $0 != "-" }
  guard !others.isEmpty else {
    throw CommandFailure(.badInput, "-: no addresses on standard input; \(end)")
  }
  return Array(others)
}

/// The feeds that a user named, and the failures for unusable ones.
///
/// A failure does not stop the command: it is printed at once, and affects the exit status at the end.
@MainActor
struct NamedFeeds {
  /// The feeds, each once.
  private(set) var feeds: [Feed] = []
  private var statuses: [ExitStatus] = []

  /// The largest number of unknown addresses that get a suggestion.
  private static let mostSuggestions = 20

  /// Finds the feeds, and reports missing ones.
  ///
  /// - Parameters:
  ///   - words: Addresses, or parts of them.
  ///   - isDeletion: See ``NewsStack/feed(at:isDeletion:suggests:)``.
  /// - Throws: ``CommandFailure`` from the store.
  init(_ words: [String], in stack: NewsStack, isDeletion: Bool = false) throws {
    let exact = try stack.reading { try stack.source.feeds(at: words.map { WebAddress($0) }) }
    var seen: Set<ManagedObjectID> = []
    for word in words {
      do {
        let feed =
          try exact[WebAddress(word)]
          ?? stack.feed(
            at: word, isDeletion: isDeletion, suggests: statuses.count < Self.mostSuggestions)
        if seen.insert(feed.id).inserted { feeds.append(feed) }
      } catch let failure as CommandFailure where [.noInput, .usage].contains(failure.status) {
        fail(failure)
      }
    }
  }

  /// Prints a failure, and leaves out its feed.
  mutating func fail(_ failure: CommandFailure, of feed: ManagedObjectID? = nil) {
    if let message = failure.message { Output.error.warn(printable(message)) }
    statuses.append(failure.status)
    feeds.removeAll { $0.id == feed }
  }

  /// Ends the command.
  ///
  /// - Throws: ``CommandFailure`` if a feed failed.
  func finish() throws {
    if let status = Self.status(failures: statuses, done: feeds.count) { throw CommandFailure(status) }
  }

  /// Returns the exit status: the first failure's if nothing was done; nil without failures.
  nonisolated static func status(failures: [ExitStatus], done: Int) -> ExitStatus? {
    failures.isEmpty || done == 0 ? failures.first : .someFeedsFailed
  }
}
