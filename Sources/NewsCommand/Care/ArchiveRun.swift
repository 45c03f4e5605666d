import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import TextOutput
import Sequences

/// An `archive` run: moves articles page by page, and deletes each page here only after the other store has
/// written it to the disk.
@MainActor
final class ArchiveRun {
  private let command: ArchiveCommand
  private let request: ArticleRequest
  private let stack: NewsStack
  /// The store's path.
  private let store: String
  /// The other store's absolute path.
  private let path: String
  /// The name under which the other store is attached.
  private let name: String
  private let isAttached: Bool
  private var moved = 0
  /// The number of articles that stay because they wait for a hook.
  private var waiting = 0

  init(_ command: ArchiveCommand) throws {
    self.command = command
    request = try command.request()
    store = try NewsStack.location(command.storeOptions).needsFile(for: "archive")
    stack = try NewsStack.needed(command.storeOptions, for: command.dryRun ? .reading : .writing)
    path = URL(fileURLWithPath: command.to).resolvingSymlinksInPath().path
    guard path != URL(fileURLWithPath: store).resolvingSymlinksInPath().path else {
      throw CommandFailure(.usage, "\(printable(command.to)): this is the store itself")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw CommandFailure(.cannotCreate, "\(printable(command.to)) is a folder; name a file with --to")
    }
    let source = stack.source
    let path = path
    let attached = try stack.reading { try source.attachedStores().first { $0.path == path } }
    try Self.check(path, of: stack)
    isAttached = attached != nil
    name = attached?.name ?? command.name ?? AttachedFile.defaultName(for: path)
    guard !isAttached || command.name == nil || command.name == name else {
      throw CommandFailure(.usage, "\(printable(path)): already attached as \(printable(name))")
    }
    guard !isAttached else {
      guard FileManager.default.fileExists(atPath: path) else {
        throw CommandFailure(
          .noInput,
          "\(printable(path)): the file of the attached store \(printable(name)) is missing; make it available, or remove "
            + "the store: newsimport store detach \(shellWord(name))")
      }
      return
    }
    try AttachedFile.check(name: name)
    let name = name
    guard try stack.reading({ try source.attachedStore(named: name) }) == nil else {
      throw CommandFailure(
        .usage, "\(printable(name)): another store of this name is attached; name this one with --name")
    }
  }

  /// Checks the other store's file before anything is written.
  private static func check(_ path: String, of stack: NewsStack) throws {
    let folder = FilePath.folder(of: path)
    guard FileManager.default.fileExists(atPath: folder) else {
      throw CommandFailure(.cannotCreate, "\(printable(folder)): no such folder; nothing was moved")
    }
    guard !stack.location.contains(file: path) else {
      throw CommandFailure(
        .cannotCreate, "\(printable(path)): it belongs to the store; name another file with --to")
    }
    guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int, size > 0
    else {
      guard access(folder, W_OK) == 0 else {
        throw CommandFailure(.cannotCreate, "\(printable(folder)): \(systemCause()); nothing was moved")
      }
      return
    }
    do throws(StoreError) {
      _ = try NewsStack.attached(path)
    } catch .older {
      // It is migrated when it is opened for writing.
    } catch {
      throw Self.failure(error, path)
    }
    guard access(path, W_OK) == 0 else {
      throw CommandFailure(.cannotCreate, "\(printable(path)): \(systemCause()); nothing was moved")
    }
  }

  /// Returns the failure for an error in the other store before the first article was moved.
  private static func failure(_ error: StoreError, _ path: String) -> CommandFailure {
    let status = CommandFailure(error, store: .file(path)).status
    return CommandFailure(status, "\(printable(error.text(at: path))); nothing was moved")
  }

  func run() async throws {
    let chooser = ArticleChooser(stack) { [command] in try command.configurationOptions.load() }
    let wanted = try chooser.predicate(of: try chooser.articles(request))
    let backlog = try HookBacklog(of: stack) { [command] in try command.configurationOptions.load() }
    let spared = try stack.reading { try backlog.articles() }
    let (unstarred, starred) = try stack.reading {
      let context = stack.source.context
      let isStarred = ArticleMark.starred.articles
      return (
        try context.fetchIDs(FetchRequest(Article.self, where: wanted && !isStarred)),
        try context.count(FetchRequest(Article.self, where: wanted && isStarred))
      )
    }
    let articles = spared.isEmpty ? unstarred : unstarred.filter { !spared.contains($0) }
    waiting = unstarred.count - articles.count
    guard !command.dryRun, !articles.isEmpty else { return report(unstarred.count, starred: starred) }
    let archive = try open()
    do {
      try await move(articles, to: archive, sparing: backlog)
      try closing(archive)
    } catch {
      try? closing(archive)
      throw error
    }
    report(unstarred.count, starred: starred)
  }

  private func open() throws -> SQLiteStore {
    do throws(StoreError) {
      return try NewsStack.writable(path, isDurable: true)
    } catch {
      throw Self.failure(error, path)
    }
  }

  /// Closes the other store, so that it can be read without write access.
  private func closing(_ archive: SQLiteStore) throws {
    do throws(StoreError) {
      try archive.close()
      // While another process reads the file, it keeps its log, which is harmless.
      try? SQLiteStore.detachLog(ofFileAt: path)
    } catch {
      throw failure(error, store: path)
    }
  }

  private func move(
    _ articles: [ManagedObjectID], to archive: SQLiteStore, sparing backlog: HookBacklog
  ) async throws {
    // Background contexts leave the main queue free to receive signals.
    let source = BackgroundContext(parent: stack.root, name: "archive")
    let deletion = ArticleDeletion(
      in: stack.root, name: "deletion", author: TransactionAuthor.archive, sparing: backlog)
    let target = BackgroundContext(
      parent: PersistentStoreCoordinator(model: NewsModel.model, store: archive), name: "archived",
      author: TransactionAuthor.archive)
    let now = Date()
    let signals = SignalWatch {}
    let status = StatusLine(isWanted: !command.json)
    defer { status.clear() }
    for page in articles.chunks(of: ArticleMove.page) {
      if let signal = signals.status {
        status.clear()
        throw CommandFailure(signal, "stopped: \(counted(moved, "article")) moved, the others are unchanged")
      }
      let ids = Array(page)
      let move: ArticleMove
      do throws(StoreError) {
        move = try await source.perform { (context) throws(StoreError) in try ArticleMove(ids, in: context) }
      } catch {
        throw failure(error, store: store)
      }
      let written: Set<ManagedObjectID>
      do throws(StoreError) {
        written = try await target.perform { (context) throws(StoreError) in try move.write(in: context) }
      } catch {
        throw failure(error, store: path)
      }
      if moved == 0 { try await attach(archive) }
      do throws(StoreError) {
        let result = try await move.delete(written, at: now, by: deletion)
        moved += result.deleted.count
        waiting += result.spared.count
        // The main context collects all saved changes; it does not need these.
        try stack.main.flush()
      } catch {
        throw failure(error, store: store)
      }
      status.show("\(grouped(moved)) of \(grouped(articles.count)) moved")
    }
  }

  /// Attaches the other store before the first article is deleted here.
  private func attach(_ archive: SQLiteStore) async throws {
    guard !isAttached else { return }
    let source = stack.source
    let (name, path) = (name, path)
    let other = try await stack.change { () -> String? in
      if let other = try source.attachedStore(named: name) { return other.path }
      AttachedFile.removeIndex(ofStoreNamed: name, besideStore: store)
      let attachment = stack.main.context.insert(AttachedStore.self)
      (attachment.name, attachment.path, attachment.attached) = (name, path, Date())
      return nil
    }
    // Another run may have attached the same file first.
    guard other ?? path == path else {
      throw CommandFailure(
        .usage, "\(printable(name)): another store of this name was attached meanwhile; nothing was moved")
    }
  }

  private func failure(_ error: StoreError, store: String) -> CommandFailure {
    let failure = CommandFailure(error, store: .file(store))
    let before = moved > 0 ? "; \(counted(moved, "article")) were moved before" : "; nothing was moved"
    return CommandFailure(failure.status, (failure.message ?? "") + before)
  }

  /// - Parameters:
  ///   - articles: The number of chosen articles that are not starred.
  ///   - starred: The number of articles that stay because they are starred.
  private func report(_ articles: Int, starred: Int) {
    let count = command.dryRun ? articles - waiting : moved
    let left = command.dryRun ? 0 : articles - moved - waiting
    if command.json {
      writeJSON([
        "store": name, "path": path, "moved": count, "starred": starred, "waiting": waiting, "left": left,
      ])
      return
    }
    var text = command.dryRun ? "would move  " : "moved  "
    text += "\(counted(count, "article")) to \(printable(path))"
    if count > 0 && !command.dryRun { text += ", attached as \(printable(name))" }
    if starred > 0 { text += "; \(counted(starred, "starred article")) \(starred == 1 ? "stays" : "stay")" }
    if waiting > 0 { text += HookBacklog.note(waiting) }
    if left > 0 { text += "; \(grouped(left)) changed meanwhile and \(left == 1 ? "stays" : "stay")" }
    Output.standard.print(text + "\n")
  }
}
