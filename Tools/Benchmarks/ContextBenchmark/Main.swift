import Foundation
import ManagedContext
import SQLiteStore

/// The cost of the context layer compared with its foundation; `make bench-contexts`.
///
/// It reports CPU seconds of the whole process, as medians of interleaved runs, because wall-clock times of a shared
/// machine are unreliable.
@main
struct ContextBenchmark {
  private static let rows = 100_000
  private static let runs = 5

  @MainActor
  static func main() throws {
    let folder = try FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask,
      appropriateFor: URL(fileURLWithPath: NSTemporaryDirectory()), create: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var files = 0
    let file = {
      files += 1
      return folder.appendingPathComponent("\(files).db").path
    }

    if CommandLine.arguments.contains("values") { return try showValues(path: file()) }
    for rows in [200_000, Migrating.rows] {
      let inferred = try Migrating.run(path: file(), rows: rows, hasCode: false)
      let coded = try Migrating.run(path: file(), rows: rows, hasCode: true)
      show("migrate \(rows) rows: inferred", inferred.seconds, "s", memory(inferred.mebibytes))
      show("  with a closure", coded.seconds, "s", memory(coded.mebibytes))
    }
    if CommandLine.arguments.contains("migration") { return }

    var statements: [Double] = []
    var objects: [Double] = []
    var batches: [Double] = []
    for _ in 0..<runs {
      statements.append(try measured { try PreparedInserts.run(path: file(), rows: rows) })
      objects.append(try measured { try ObjectInserts.run(path: file(), rows: rows) })
      batches.append(try measured { try BatchInserts.run(path: file(), rows: rows) })
    }
    let base = median(statements)
    show("insert \(rows) rows of 10 attributes: prepared statements", base, "s", "the measure")
    show("  objects of a context", median(objects), "s", ratio(median(objects), base, goal: 2.5))
    show("  batch insert", median(batches), "s", ratio(median(batches), base, goal: 1.3))

    let reading = try Reading(path: file())
    show("read a property of a loaded object", try reading.nanosecondsPerRead(), "ns", "goal 20")
    show("merge 1,000 IDs into 10,000 objects", try reading.millisecondsPerMerge(), "ms", "goal 5")
    show("1,000 contexts released: objects left", Double(try reading.leakedObjects()), "", "goal 0")

    try showValues(path: file())
    let listing = try Listing(path: file())
    let inMemory = try listing.millisecondsPerEdit(batchSize: 0)
    show("a list of 100,000: an edit, all objects in memory", inMemory, "ms", "goal 2")
    show(
      "  an edit, with a hundred objects in memory", try listing.millisecondsPerEdit(batchSize: 100), "ms",
      "goal 2")
    show("  a save of another context is merged", try listing.millisecondsPerMergedSave(), "ms", "goal 2")
    let bare = try Listing.secondsForRecords(5000, path: file(), isShown: false)
    let shown = try Listing.secondsForRecords(5000, path: file(), isShown: true)
    show("5,000 records saved five at a time", bare, "s", "the measure")
    show("  with a list of them", shown, "s", String(format: "%.2f times", shown / bare))
  }

  private static func showValues(path: String) throws {
    let values = try Values(path: path)
    try showValues("numbers", values.cursorOfNumbers, ["fetchValues": values.numbers])
    try showValues(
      "numbers and texts", values.cursorOfTexts, ["fetchValues": values.texts, "rows": values.textsOfRows])
    show(
      "memory of an object with ten attributes", try values.bytesPerObject(), "bytes",
      "\(Values.rows) objects")
    try showValues("ten attributes", values.cursorOfAll, ["objects": values.objects])
  }

  private static func showValues(
    _ name: String, _ cursor: @escaping () throws -> Int64,
    _ readers: KeyValuePairs<String, () throws -> Int64>
  ) throws {
    var times = [[Double]](repeating: [], count: readers.count + 1)
    let expected = try cursor()
    for _ in 0..<runs {
      for (place, read) in ([cursor] + readers.map(\.value)).enumerated() {
        times[place].append(
          try measured { guard try read() == expected else { throw CocoaError(.fileReadCorruptFile) } })
      }
    }
    show("read \(Values.rows) rows, \(name): cursor", median(times[0]), "s", "the measure")
    for (place, reader) in readers.enumerated() {
      let time = median(times[place + 1])
      show("  \(reader.key)", time, "s", ratio(time, median(times[0]), goal: 1.2))
    }
  }

  private static func measured(_ body: () throws -> Void) rethrows -> Double {
    let start = cpuSeconds()
    try body()
    return cpuSeconds() - start
  }

  private static func ratio(_ value: Double, _ base: Double, goal: Double) -> String {
    String(format: "%.2f times, goal %.1f", value / base, goal)
  }

  private static func memory(_ mebibytes: Double) -> String {
    String(format: "%.0f MiB more than before", mebibytes)
  }

  private static func show(_ name: String, _ value: Double, _ unit: String, _ note: String) {
    let padded = name.padding(toLength: 60, withPad: " ", startingAt: 0)
    print(padded + String(format: "%10.3f %@  (%@)", value, unit, note))
  }
}

/// Returns the CPU time of the process so far, in seconds. POSIX fixes the unit of clock(3).
func cpuSeconds() -> Double { Double(clock()) / 1e6 }

func median(_ values: [Double]) -> Double {
  values.sorted()[values.count / 2]
}
