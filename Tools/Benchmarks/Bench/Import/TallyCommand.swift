import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore

/// The contents of a store, as counts.
struct StoreTally: Codable, Equatable {
  var articles: Int
  var edited: Int
}

extension StoreTally {
  /// Counts in a separate process, so that the measuring process stays small.
  init(of store: String, output: String) throws {
    let text = try ChildProcess.run([ChildProcess.ownPath, "tally", store], output: output).text
    self = try JSONDecoder().decode(StoreTally.self, from: Data(text.utf8))
  }
}

/// Counts the articles of a store.
struct TallyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "tally", shouldDisplay: false)

  @Argument var store: String

  func run() throws {
    let file = try NewsFile(path: store)
    defer { try? file.store.close() }
    let tally = StoreTally(
      articles: try file.context.count(FetchRequest(Article.self)),
      edited: try file.context.count(FetchRequest(Article.self, where: \.edits > 0)))
    print(String(decoding: try JSONEncoder().encode(tally), as: UTF8.self))
  }
}
