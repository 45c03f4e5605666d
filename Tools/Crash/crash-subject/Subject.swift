import CFaultVFS
import CRunServer
import FeedImport
import Foundation
import NewsCommand
import SQLiteStore

/// The program `newsimport`, over a SQLite VFS that fails, kills or records if environment variables request it.
///
/// `CRASH_FAULT` is the kind of the fault, the number of the call, and 1 if later calls fail, too: `1 17 0`.
/// `CRASH_STATE` and `CRASH_RECORD` are the paths of files; `CRASH_WHOLE_BYTES` lowers the size above which a response is
/// saved in parts, `CRASH_BULK_FEEDS` the number of feeds of a first import in bulk, and `CRASH_CLOCK` the seconds by which the
/// store's clock is ahead; `CRASH_SPLITS` plants a defect. With `CRASH_SERVES` it is a server of such runs: see `run_server.h`.
@main
enum Subject {
  static func main() async {
    var arguments: [[UInt8]]?
    if getenv("CRASH_SERVES") != nil {
      Program.load()
      prepareObservers()
      let run = serve_runs()
      arguments = (0..<Int(run.count)).map { index in
        run.texts[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
      }
    }
    let environment = ProcessInfo.processInfo.environment
    let words = arguments.map(ProcessArguments.init) ?? .ofProcess
    guard environment.keys.contains(where: { $0.hasPrefix("CRASH_") }) else { await Program.run(words) }
    await run(words, environment)
  }

  /// Makes Foundation initialize what it needs to remove observers.
  ///
  /// Swift's runtime (6.3) guards an initialization by a lock that names its thread, and still names the server's
  /// thread after a fork. If two threads of a run need the same initialization at once, as when they close two
  /// databases, both wait for ever.
  private static func prepareObservers() {
    let observer = NotificationCenter.default.addObserver(forName: .init("prepared"), object: nil, queue: nil)
    { _ in }
    NotificationCenter.default.removeObserver(observer)
  }

  /// Runs the program with the faults and settings of the environment.
  private static func run(_ arguments: ProcessArguments, _ environment: [String: String]) async {
    var plan = fault_plan()
    let words = (environment["CRASH_FAULT"] ?? "").split(separator: " ").compactMap { UInt64($0) }
    if words.count == 3 {
      plan.kind = fault_kind(UInt32(words[0]))
      (plan.at, plan.repeats) = (words[1], Int32(words[2]))
    }
    let code = fault_vfs_install(plan, environment["CRASH_STATE"], environment["CRASH_RECORD"])
    guard code == 0 else { fatalError("fault_vfs_install: \(code)") }
    guard environment["CRASH_SPLITS"] == nil || seed_split_commits() == 0 else {
      fatalError("seed_split_commits")
    }
    let bytes = environment["CRASH_WHOLE_BYTES"].flatMap { Int($0) } ?? ImportOptions.usualAtomicBytes
    let feeds = environment["CRASH_BULK_FEEDS"].flatMap { Int($0) } ?? ImportOptions.usualBulkFeeds
    await ImportOptions.$usualAtomicBytes.withValue(bytes) { () async -> Void in
      await ImportOptions.$usualBulkFeeds.withValue(feeds) { () async -> Void in
        let lead = environment["CRASH_CLOCK"].flatMap { TimeInterval($0) } ?? 0
        await SQLiteStoreOptions.$clockLead.withValue(lead) { () async -> Void in
          await Program.run(arguments)
        }
      }
    }
  }
}
