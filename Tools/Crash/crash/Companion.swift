import Foundation
import GRDB
import TestSupport
import Threading

/// A program that uses the store while the command of a scenario runs.
enum Companion: String, Sendable {
  /// A reader that keeps transactions open for a moment each.
  case reader
  case watch
  case search
  /// A second import, which begins at any time before, during or after the first one.
  case importer
}

struct RunningCompanion {
  private let task: Task<[String], any Error>
  /// True if it must end. Cancellation would also end the wait for its program.
  private let isOver: Locked<Bool>

  /// Starts a companion.
  ///
  /// - Parameter delay: The time after which an import begins.
  init(_ companion: Companion, world: World, folder: TemporaryFolder, delay: Duration) {
    let isOver = Locked(false)
    self.isOver = isOver
    task = Task {
      switch companion {
      case .reader: try await Self.read(world, folder, until: isOver)
      case .watch: try await Self.watch(world, folder, until: isOver)
      case .search: try await Self.search(world, folder, until: isOver)
      case .importer: try await Self.fetch(world, folder, delay)
      }
    }
  }

  /// Lets it end, and returns what went wrong.
  func end() async throws -> [String] {
    isOver.withLock { $0 = true }
    return try await task.value
  }

  // The pauses decide where programs meet. No result depends on them.

  private static func read(
    _ world: World, _ folder: TemporaryFolder, until isOver: Locked<Bool>
  ) async throws -> [String] {
    var problems: [String] = []
    var configuration = Configuration()
    configuration.readonly = true
    configuration.allowsUnsafeTransactions = true
    while !isOver.withLock(\.self) {
      do {
        let queue = try DatabaseQueue(path: folder.file("news.sqlite"), configuration: configuration)
        try queue.inDatabase { db in
          try db.execute(sql: "BEGIN")
          problems += StoreCheck(world: world).partialResponses(try StoreContents.articles(db))
        }
        try await Task.sleep(for: .milliseconds(15))
        try queue.close()
      } catch let error as DatabaseError {
        // There may be no store yet, an exclusive lock, or a journal that only a writer can roll back.
        if [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
          problems.append("reader: \(error)")
        }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    return problems
  }

  private static func watch(
    _ world: World, _ folder: TemporaryFolder, until isOver: Locked<Bool>
  ) async throws -> [String] {
    let error = try folder.write("run-watch", [])
    let watch = try world.start(["watch", "--json"], in: folder, error: error)
    while !isOver.withLock(\.self) { try await Task.sleep(for: .milliseconds(5)) }
    watch.signal(SIGTERM)
    let status = await watch.end()
    return problems("watch", status, try String(contentsOfFile: error, encoding: .utf8))
  }

  private static func search(
    _ world: World, _ folder: TemporaryFolder, until isOver: Locked<Bool>
  ) async throws -> [String] {
    var problems: [String] = []
    while !isOver.withLock(\.self) {
      let result = try await world.run(["search", "word2"], in: folder)
      problems += Self.problems("search", result.status, result.err)
    }
    return problems
  }

  private static func fetch(
    _ world: World, _ folder: TemporaryFolder, _ delay: Duration
  ) async throws -> [String] {
    try await Task.sleep(for: delay)
    let result = try await world.run(["fetch", "world"], in: folder)
    return problems("second import", result.status, result.err)
  }

  private static func problems(_ name: String, _ status: Int32, _ message: String) -> [String] {
    let isBlamed = ["damaged", "malformed", "corrupt", "not a database"].contains { message.contains($0) }
    return expected.contains(status) && !isBlamed ? [] : ["\(name): exit status \(status): \(message)"]
  }

  /// Success, nothing found, no store or region, a store that is locked or whose journal only a writer can roll back, and
  /// the end by SIGTERM, possibly before the program has a handler for it.
  private static let expected: Set<Int32> = [0, 1, 66, 75, 128 + SIGTERM, -SIGTERM]
}
