import ArgumentParser
import ArticleDocuments
import ManagedContext
import NewsModel
import TextOutput
import Threading

extension StoreCommand {
  /// `newsimport store copy FROM TO`
  struct Copy: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "copy",
      abstract: "Copy a store into a new one: from a file to a server, or back.",
      discussion: """
        Articles keep their numbers, marks and versions; the log, the history with the places of its readers, and what was deleted \
        are copied, too. The copy is one state of the store, also during an import. It exists only when it is complete: after a \
        run that was stopped, there is none. The new store is a file that does not exist yet, or a schema of a server without a store.
        Examples:
          newsimport store copy ~/news.sqlite postgresql:///news
          newsimport store copy postgresql:///news ~/news.sqlite
        """)

    @Argument(
      help: ArgumentHelp("The store to copy: a file or an address.", valueName: "from"), completion: .file())
    var source: String
    @Argument(
      help: ArgumentHelp("The new store: a file or an address.", valueName: "to"), completion: .file())
    var target: String
    @Flag(help: "One JSON object: from, to, regions, feeds, articles.") var json = false

    func validate() throws {
      for place in [source, target] {
        if let mistake = StoreLocation.mistake(in: place) {
          throw ArgumentParser.ValidationError("\(StoreLocation(place).name): \(mistake)")
        }
      }
    }

    func perform() async throws {
      let (from, to) = (StoreLocation(source), StoreLocation(target))
      // Opening a file for writing ends the first-import mode, in which readers delay the writer.
      guard let store = try from.open(for: from.isWritable ? .writing : .reading) else {
        throw CommandFailure(.noInput, "\(printable(from.name)): no such store")
      }
      if !to.canAttach, let attached = try Self.attachedStore(of: store, at: from) {
        throw CommandFailure(
          .usage,
          "\(printable(from.name)): it has attached stores, which would be on one machine only; newsimport store detach "
            + "\(shellWord(attached.name)) --store \(shellWord(from.name)) removes one")
      }
      let counts = try await copy(store, from, to)
      let count = { (entity: EntityIndex) in counts[entity] ?? 0 }
      let (regions, feeds, articles) = (
        count(NewsModel.Place.region), count(NewsModel.Place.feed), count(NewsModel.Place.article)
      )
      if json {
        writeJSON([
          "from": from.name, "to": to.name, "regions": regions, "feeds": feeds, "articles": articles,
        ])
        return
      }
      let contents = [counted(regions, "region"), counted(feeds, "feed"), counted(articles, "article")]
      Output.standard.print("copied  \(printable(to.name))  \(contents.joined(separator: ", "))\n")
    }

    /// Returns an attached store; nil without any.
    @MainActor
    private static func attachedStore(
      of store: any NewsStore, at location: StoreLocation
    ) throws -> AttachedStore? {
      let alone = PersistentStoreCoordinator(model: NewsModel.model, store: store)
      return try location.checking {
        try DataSource(ManagedObjectContext(parent: alone)).attachedStores().first
      }
    }

    @MainActor
    private func copy(
      _ store: any NewsStore, _ from: StoreLocation, _ to: StoreLocation
    ) async throws -> [EntityIndex: Int] {
      let copied = Locked(0)
      let isStopped = Locked(false)
      let signals = SignalWatch { isStopped.withLock { $0 = true } }
      let status = StatusLine()
      defer { status.clear() }
      let end = Task.detached {
        Result { () throws(StoreError) in try Self.copy(store, from, to, copied, isStopped) }
      }
      let shown = Task {
        while !Task.isCancelled {
          try await Task.sleep(for: .milliseconds(200))
          status.show("copying  \(grouped(copied.withLock { $0 })) rows")
        }
      }
      defer { shown.cancel() }
      do throws(StoreError) {
        return try await end.value.get()
      } catch {
        if let status = signals.status {
          throw CommandFailure(status, "\(printable(to.name)): the copy was stopped; nothing of it is there")
        }
        switch error {
        case .cannotOpen(let cause):
          throw CommandFailure(.cannotCreate, printable(cause) + to.adviceForCopies)
        case .corrupt, .incompatible: throw CommandFailure(error, store: from)
        // The user lacks a right on the server; a target file is always new, and never read-only.
        case .readOnly(let cause): throw CommandFailure(.cannotCreate, printable(cause))
        case .invalid(let cause): throw CommandFailure(.badInput, "\(printable(cause)); nothing was copied")
        case .inputOutput(let cause):
          throw CommandFailure(.inputOutput, "\(printable(cause)); nothing was copied")
        default: throw CommandFailure(error, store: to)
        }
      }
    }

    private nonisolated static func copy(
      _ store: any NewsStore, _ from: StoreLocation, _ to: StoreLocation, _ copied: Locked<Int>,
      _ isStopped: Locked<Bool>
    ) throws(StoreError) -> [EntityIndex: Int] {
      var counts: [EntityIndex: Int] = [:]
      try store.withCopySource { (source) throws(StoreError) in
        try to.make { (target) throws(StoreError) in
          var copy = StoreCopy(NewsModel.model, of: from.name) { (rows) throws(StoreError) in
            copied.withLock { $0 = rows }
            if isStopped.withLock({ $0 }) { throw .busy }
          }
          counts = try copy.run(from: source, to: target)
        }
      }
      return counts
    }
  }
}
