import ArgumentParser
import Foundation
import Glibc
import ManagedContext
import NewsModel
import PostgreSQLStore
import TestSupport
import Threading
import WebAddress

/// Measures how soon `watch` prints what another process has committed on a server.
struct ServerWatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-watch",
    abstract:
      "Measures the time from a commit to the line of watch, on the server of NEWSIMPORT_TEST_POSTGRESQL.")

  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The number of commits.") var commits = 200
  @Option(help: "The number of commits without a notification.") var lost = 20
  @Option(help: "A folder for temporary files.") var folder = ".build/bench"

  func run() throws {
    let work = try BenchStore.workFolder(in: folder)
    let server = try BenchmarkServer()
    try server.clear()
    let writer = try ArticleWriter(server.store)
    let store = BenchStore(program: program, work: work, server: server)
    let times = try WatchRun(store).times(of: commits, longestPause: 500, by: writer)
    print("from a commit to the line of watch: \(Self.text(times))")
    let relay = try Relay(dropsNotifications: true)
    var far = store
    far.server?.store = try relay.address(of: server.store)
    let without = try WatchRun(far).times(of: lost, longestPause: 6000, by: writer)
    print("without notifications: \(Self.text(without))")
    try FileManager.default.removeItem(atPath: work)
  }

  private static func text(_ times: [Double]) -> String {
    let sorted = times.sorted()
    func time(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
    return String(
      format: "%.0f ms (p50), %.0f ms (p99), %.0f ms at most", time(0.5) * 1000, time(0.99) * 1000,
      time(1) * 1000)
  }
}

/// Commits articles, one at a time.
private final class ArticleWriter {
  private let context: ManagedObjectContext
  private let feed: ManagedObjectID
  private let rows = SmallArticles(body: 500)
  private var number = 0

  init(_ address: StoreAddress) throws {
    let store = try PostgreSQLStore(
      address, model: NewsModel.model, application: NewsModel.applicationID,
      views: NewsModel.views(.postgresql))
    context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: NewsModel.model, store: store))
    _ = try DataSource(context).add([WebAddress("http://127.0.0.1:9/feed.xml")], toRegionNamed: "bench")
    try context.save()
    guard let feed = try DataSource(context).feeds().first else { throw Failure("the store has no feed") }
    self.feed = feed.id
  }

  /// Commits an article.
  ///
  /// - Returns: Its number, which is in its address.
  func commit() throws -> Int {
    number += 1
    context.insert(rows.batch(of: feed, numbers: number..<number + 1))
    try context.save()
    return number
  }
}

private struct WatchRun {
  private let process: ChildProcess
  private let output: Int32

  init(_ store: BenchStore) throws {
    let path = store.work + "/lines"
    unlink(path)
    guard mkfifo(path, 0o600) == 0 else { throw Failure.system("mkfifo") }
    // With both ends open, the new process does not wait for a reader.
    output = open(path, O_RDWR | O_CLOEXEC)
    process = try ChildProcess(
      [store.program, "watch", "--json"], environment: store.environment, output: path)
  }

  /// Commits articles at random times, and returns the time from each commit to its line, in seconds.
  ///
  /// - Parameter longestPause: The longest time between two commits, in milliseconds.
  func times(of count: Int, longestPause: Int, by writer: ArticleWriter) throws -> [Double] {
    defer {
      process.terminate()
      _ = try? process.wait()
      close(output)
    }
    let printed = Locked<[Int: ContinuousClock.Instant]>([:])
    try OwnThread(name: "lines") { [output] in Self.read(output, into: printed) }.detach()
    // Once it prints something, it has started.
    var committed: [Int: ContinuousClock.Instant] = [:]
    while printed.withLock({ $0.isEmpty }) {
      _ = try writer.commit()
      usleep(200_000)
    }
    usleep(2_000_000)
    for _ in 0..<count {
      usleep(useconds_t(Int.random(in: 0...longestPause) * 1000))
      let number = try writer.commit()
      committed[number] = .now
    }
    let end = ContinuousClock.now + .seconds(20)
    while let missing = committed.keys.first(where: { number in printed.withLock { $0[number] == nil } }) {
      guard ContinuousClock.now < end else { throw Failure("watch has not printed article \(missing)") }
      usleep(10_000)
    }
    let times = printed.withLock { $0 }
    return committed.compactMap { number, date in times[number].map { ($0 - date) / .seconds(1) } }
  }

  private static func read(_ output: Int32, into printed: Locked<[Int: ContinuousClock.Instant]>) {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(output, &buffer, buffer.count), count > 0 {
      let now = ContinuousClock.now
      for byte in buffer[..<count] {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        if let place = text.range(of: "/articles/"),
          let number = Int(text[place.upperBound...].prefix { $0.isNumber })
        {
          printed.withLock { $0[number] = now }
        }
      }
    }
  }
}
