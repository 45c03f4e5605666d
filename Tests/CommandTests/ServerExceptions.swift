import Foundation
import Testing

/// The tests of the command that do not run with a store on a server, with the reasons.
enum ServerExceptions {
  /// Commands that a server does not have, or not yet.
  private static let commands: [(words: [String], reason: String)] = [
    (["archive"], "it moves articles to a file, and the store that it comes from is a file so far"),
    (["store", "attach"], "the file would be on one machine only"),
  ]

  /// Suites, and tests by their names.
  fileprivate static let tests: [(name: String, reason: String)] = [
    ("a feed is polled with the settings of its regions and its own table", "it reads the file"),
    (
      "a file name of one character is written, and a folder is refused", "it also makes a backup and metrics"
    ),
    ("a token stays valid when a store of version 10 is migrated", "it is about files of earlier versions"),
    ("no word is split at the edge of a terminal", "an address is longer than the terminal of the test"),
    ("a damaged store is reported", "it damages the file"),
    ("a token stays valid over vacuum, and not over the return of a backup", "it returns the file"),
    ("articles of attached stores keep their order among the others", "attached stores are files"),
    (
      "after a full disk, what was saved stays, and the rest can be imported",
      "it limits the size of the file"
    ),
    ("ArchiveCommandTests", "it is about files"),
    ("ChangeFaultTests", "it drops triggers with the SQL of SQLite"),
    ("the index is a file beside the store that may be deleted", "it is about the file"),
    ("the regions of a feed are valid JSON, whatever their names", "it is in the SQL of SQLite"),
    ("columns with the same name are numbered in JSON", "a server refuses empty names"),
    ("each kind of value is written in JSON", "it is in the SQL of SQLite; see ServerQueryTests"),
    (
      "invalid UTF-8 that another program stored hides no characters of markup", "a server keeps no such text"
    ),
    ("a text with a NUL is printed whole", "a server keeps no such text"),
    (
      "statements that write are refused, and the store stays unchanged",
      "the messages differ; see StoreDialectTests"
    ),
    ("a wrong query is reported with its cause", "the messages differ; see ServerCommandTests"),
    ("an error is reported with SQLite's message", "the messages differ; see ServerCommandTests"),
    ("FeedRegionsTests", "it damages pages of the file"),
    ("StoreCareTests", "it is about the file"),
    ("StoreCommandTests", "it is about files"),
    ("StoreUpgradeTests", "it is about files of earlier versions"),
    ("WrongCellTests", "a server accepts no values of other types"),
    ("a fetch gives up if the store stays locked", "it is about the lock of the file"),
    (
      "a fetch waits for a process that holds the lock of the store for long",
      "it is about the lock of the file"
    ),
    ("a file that is not a store is refused and left unchanged", "it is about the file"),
    ("an export does not replace the store or a file that belongs to it", "it is about the file"),
    (
      "an unknown schema of newsboat, and a log beside it, are refused", "it also imports the file of a store"
    ),
    ("another name of the store is not replaced, nor another database", "it is about the file"),
    ("commands that only read do not wait for a writer", "it is about the lock of the file"),
    ("a store that is removed ends watch", "it removes the file; ServerCommandTests removes tables"),
    (
      "a command that outlives its run is not started again beside itself",
      "a server does not know the process; see ServerCommandTests"
    ),
  ]

  /// Cancels the running test if it is an exception.
  static func cancelTest() throws {
    guard let test = Test.current else { return }
    let identity = "\(test.id)"
    let name = test.displayName ?? test.name
    let exception = tests.first { name == $0.name || identity.contains(".\($0.name)/") }
    if let exception { try Test.cancel("\(exception.reason)") }
  }

  /// Cancels the running test if it uses a command that a server does not have.
  static func cancelTest(calling arguments: [String]) throws {
    let command = commands.first { arguments.starts(with: $0.words) }
    if let command { try Test.cancel("\(command.reason)") }
  }
}

@Suite struct ServerExceptionsTests {
  @Test func `each exception is the name of a test or a suite`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var names: Set<Substring> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // Names of tests are between `, and those of suites after "struct".
      for line in text.split(separator: "\n") where line.contains("func `") || line.contains("struct ") {
        names.formUnion(line.contains("`") ? line.split(separator: "`") : line.split { " :{".contains($0) })
      }
    }
    let unknown = ServerExceptions.tests.map(\.name).filter { !names.contains($0[...]) }
    #expect(unknown == [])
  }
}
