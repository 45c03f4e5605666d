import Foundation
import TestSupport

/// A store that is made once, and that each test of a suite begins with a copy of.
struct StoreFixture: Sendable {
  private let make: @Sendable (CommandRun) async throws -> Void
  /// The store's files by their names; nil if the tests use stores on a server.
  private let files: Task<[String: Data], any Error>?

  /// - Parameter make: Fills the store. A server that it needs ends with it.
  init(_ make: @escaping @Sendable (CommandRun) async throws -> Void) {
    self.make = make
    files =
      CommandRun.isOnServer
      ? nil
      : Task {
        let newsimport = try CommandRun(onServer: false)
        try await make(newsimport)
        let names = try FileManager.default.contentsOfDirectory(atPath: newsimport.folder.path)
          .filter { $0.hasPrefix("news.db") }
        return try Dictionary(
          uniqueKeysWithValues: names.map {
            ($0, try Data(contentsOf: URL(filePath: newsimport.folder.file($0))))
          })
      }
  }

  /// Returns a run with a copy of the store; on a server, with one of its own.
  func copy() async throws -> CommandRun {
    let newsimport = try CommandRun()
    if let files {
      for (name, bytes) in try await files.value { _ = try newsimport.folder.write(name, bytes) }
    } else {
      try await make(newsimport)
    }
    return newsimport
  }
}
