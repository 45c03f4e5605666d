import CFaultVFS
import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Threading

/// A server, and folders for the stores of one scenario after another.
struct World: Sendable {
  let scenario: Scenario
  let feeds: Feeds
  /// The store before the command, with the files beside it.
  private let original: TemporaryFolder
  /// The contents before the command, and after it and its repetition.
  let before: StoreContents
  let after: StoreContents
  /// The hashes of folders from which a clean run has led to the expected store.
  let passed = Locked<Set<Int>>([])

  /// Makes the store of a scenario, and runs its command without a fault.
  init(_ scenario: Scenario, feeds: Feeds) async throws {
    (self.scenario, self.feeds) = (scenario, feeds)
    original = try TemporaryFolder()
    feeds.select(revision: 1)
    _ = try original.write("feeds.opml", feeds.opml(scenario.feeds).utf8)
    if !scenario.configuration.isEmpty {
      _ = try original.write(".config/newsimport/config.toml", scenario.configuration.utf8)
    }
    if scenario.isEarlierVersion { try Self.loadEarlierVersion(original.file("news.sqlite")) }
    for arguments in scenario.before {
      if arguments == ["revision 2"] {
        feeds.select(revision: 2)
        continue
      }
      try await Self.run(arguments, scenario, feeds, in: original).check()
    }
    feeds.select(revision: scenario.revision)
    // A copy, because reading may leave files beside the store.
    let untouched = try Self.copy(original)
    before = try withExtendedLifetime(untouched) { try StoreContents(path: untouched.file("news.sqlite")) }
    let copy = try Self.copy(original)
    try await Self.run(scenario.command, scenario, feeds, in: copy).check()
    try await Self.run(
      scenario.repair ?? scenario.command, scenario, feeds, in: copy, allowing: scenario.repairStatuses
    ).check()
    after = try withExtendedLifetime(copy) { try StoreContents(path: copy.file("news.sqlite")) }
  }

  /// Returns a new folder with the store as it was before the command.
  func folder(with defect: SeededDefect? = nil) throws -> TemporaryFolder {
    let copy = try Self.copy(original)
    if defect == .validatorsFirst { try SeededDefect.saveValidatorsFirst(in: copy.file("news.sqlite")) }
    return copy
  }

  func run(
    in folder: TemporaryFolder, fault: String? = nil, record: String? = nil, defect: SeededDefect? = nil
  ) async throws -> Run {
    try await Self.run(
      scenario.command, scenario, feeds, in: folder, fault: fault, record: record, defect: defect)
  }

  /// Runs the command that completes the work.
  func repair(in folder: TemporaryFolder) async throws -> Run {
    try await Self.run(
      scenario.repair ?? scenario.command, scenario, feeds, in: folder, allowing: scenario.repairStatuses)
  }

  /// Runs another command, without a fault.
  func run(_ arguments: Scenario.Arguments, in folder: TemporaryFolder) async throws -> Command.Result {
    try await Self.run(arguments, environment: Self.environment(folder, scenario))
  }

  /// Starts another command, without a fault.
  func start(_ arguments: Scenario.Arguments, in folder: TemporaryFolder, error: String) throws
    -> Command.Running
  {
    try RunServer.shared.get().start(
      arguments, environment: Self.environment(folder, scenario), files: ["/dev/null", "/dev/null", error],
      limit: Self.limit)
  }

  /// Returns a hash of a folder's files, without those of the test itself.
  static func hash(of folder: TemporaryFolder) throws -> Int {
    var hasher = Hasher()
    for name in try names(in: folder).sorted() {
      hasher.combine(name)
      // A hash of `Data` itself covers only its first bytes.
      try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).withUnsafeBytes {
        hasher.combine(bytes: $0)
      }
    }
    return hasher.finalize()
  }

  private static func names(in folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder.file(name), isDirectory: &isFolder)
      return !isFolder.boolValue && !name.hasPrefix("run-")
    }
  }

  private static func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in try names(in: folder) {
      _ = try copy.write(name, Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
    }
    return copy
  }

  private static func loadEarlierVersion(_ path: String) throws {
    let dump = try String(
      contentsOf: Repository.fixtures.appending(path: "stores/version-7.sql"), encoding: .utf8)
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: dump)
    }
    try queue.close()
  }

  private static func run(
    _ arguments: Scenario.Arguments, _ scenario: Scenario, _ feeds: Feeds, in folder: TemporaryFolder,
    fault: String? = nil, record: String? = nil, defect: SeededDefect? = nil,
    allowing statuses: Set<Int32> = [0]
  ) async throws -> Run {
    let words = arguments.flatMap { word -> [String] in
      switch word {
      case "FEEDS": feeds.addresses(scenario.feeds)
      case "FEED": [feeds.addresses(1)[0]]
      case "RENAMED": [feeds.addresses(3)[2]]
      case "LARGE": [feeds.large]
      default: word.hasPrefix("@") ? [folder.file(String(word.dropFirst()))] : [word]
      }
    }
    var environment = environment(folder, scenario)
    environment["CRASH_STATE"] = folder.file("run-state")
    environment["CRASH_FAULT"] = fault
    environment["CRASH_RECORD"] = record
    environment["CRASH_SPLITS"] = defect == .splitCommits ? "1" : nil
    try? FileManager.default.removeItem(atPath: folder.file("run-state"))
    return Run(
      arguments: words, result: try await run(words, environment: environment),
      state: Run.state(of: folder.file("run-state")), allowed: statuses)
  }

  private static func environment(_ folder: TemporaryFolder, _ scenario: Scenario) -> [String: String] {
    var environment = folder.environment()
    environment["CRASH_WHOLE_BYTES"] = scenario.wholeBytes.map(String.init)
    environment["CRASH_BULK_FEEDS"] = scenario.bulkFeeds.map(String.init)
    return environment
  }

  private static func run(_ arguments: [String], environment: [String: String]) async throws -> Command.Result
  {
    try await Command.run { files in
      try RunServer.shared.get().start(arguments, environment: environment, files: files, limit: limit)
    }
  }

  /// The number of seconds that a run may take.
  private static let limit: UInt32 = 60
}

extension TemporaryFolder {
  /// The environment of a run with this folder as its home.
  ///
  /// - Parameter store: The store; nil for `news.sqlite` in the folder.
  func environment(store: String? = nil) -> [String: String] {
    ["HOME": path, "NEWSIMPORT_STORE": store ?? file("news.sqlite"), "LC_ALL": "C.UTF-8", "TZ": "UTC"]
  }

  /// Starts the program.
  ///
  /// - Parameter errors: The name of the file for its messages, which is replaced.
  func start(
    _ arguments: [String], _ environment: [String: String], errors: String = "err"
  ) throws -> Command.Running {
    try Command.start(
      Command.builtProducts + "/crash-subject", arguments, environment: environment,
      files: ["/dev/null", "/dev/null", write(errors, [])])
  }

  func messages(_ file: String = "err") throws -> String {
    try String(contentsOfFile: self.file(file), encoding: .utf8)
  }
}

/// A finished run of the program.
struct Run: Sendable {
  let arguments: [String]
  let result: Command.Result
  let state: fault_state
  let allowed: Set<Int32>

  /// The kind of the call that failed; nil if the fault's number was not reached.
  var failedCall: UInt32? { state.failed_call == 0 ? nil : state.failed_call }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Throws: ``Failure`` if the exit status is not an expected one.
  func check() throws {
    guard allowed.contains(result.status) else {
      throw Failure(
        description:
          "\(arguments.joined(separator: " ").prefix(80)): exit status \(result.status): \(result.err)")
    }
  }

  static func state(of path: String) -> fault_state {
    var state = fault_state()
    guard let data = FileManager.default.contents(atPath: path), data.count >= MemoryLayout<fault_state>.size
    else {
      return state
    }
    withUnsafeMutableBytes(of: &state) { $0.copyBytes(from: data.prefix(MemoryLayout<fault_state>.size)) }
    return state
  }
}
