import CParseBaseline
import Foundation

/// The cost of FeedParsing compared with libxml2 alone; `make bench-parse`.
///
/// Four readers take turns on the same files, in chunks of 16 KiB like libcurl's. It measures CPU seconds of the
/// process, which other programs affect little. The table shows medians, the JSON file all runs.
@main
struct ParseBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 2, let corpus = arguments.first, let result = arguments.dropFirst().first else {
      throw Failure("usage: parse-benchmark FOLDER RESULT.json [ROUNDS [READER...]]")
    }
    let rounds = max(1, arguments.dropFirst(2).first.flatMap { Int($0) } ?? 5)
    // A profile may select some readers.
    let chosen = arguments.dropFirst(3).compactMap { Reader(rawValue: $0) }
    let readers = chosen.isEmpty ? Reader.allCases : chosen
    let files = try feeds(in: corpus)

    // The command does the same. Otherwise glibc returns memory after each document and requests it again for the next.
    baseline_keep_memory()
    var runs: [Reader: [Run]] = [:]
    for round in 0..<rounds {
      // Each round has another order, because the first reader finds colder caches.
      for index in readers.indices {
        let reader = readers[(index + round) % readers.count]
        runs[reader, default: []].append(try measure(reader, files))
      }
    }
    let report = Report(runs: runs, files: files.count)
    print(report.table)
    try report.json.write(to: URL(fileURLWithPath: result))
  }

  /// Returns the feeds in a folder and its subfolders, in the order of their names.
  private static func feeds(in folder: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let files = names.filter { $0.hasSuffix(".xml") || $0.hasSuffix(".rss") || $0.hasSuffix(".atom") }
    guard !files.isEmpty else {
      throw Failure(
        "\(folder): no feeds (.xml, .rss, .atom); name a folder of them: make bench-parse CORPUS=…")
    }
    return files.sorted().map { folder + "/" + $0 }
  }

  private static func measure(_ reader: Reader, _ files: [String]) throws -> Run {
    let start = CPUTime.now
    var run = Run()
    for file in files {
      let document = try reader.read(file)
      run.bytes += document.bytes
      run.items += document.items
    }
    run.cpu = CPUTime.now - start
    return run
  }
}

/// The measurements of one reader for all files.
struct Run {
  var cpu = CPUTime()
  var bytes = 0
  var items = 0
}

/// The reason why the benchmark cannot run.
struct Failure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The CPU time of the process, in seconds.
struct CPUTime {
  /// The time in the program and its libraries.
  var user = 0.0
  /// The time in the kernel, mostly for reading files.
  var system = 0.0

  var total: Double { user + system }

  static var now: CPUTime {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return CPUTime(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
  }

  static func - (left: CPUTime, right: CPUTime) -> CPUTime {
    CPUTime(user: left.user - right.user, system: left.system - right.system)
  }
}
