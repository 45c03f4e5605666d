import Foundation

/// The results, as a table and as JSON.
struct BenchmarkReport: Sendable {
  /// A description of the measured corpus.
  let subject: String
  let measures: [Measure]

  /// Returns a stage's share of an import's CPU time, from 0 to 1; nil for an import, and for a stage of an import that
  /// was not measured.
  func share(of measure: Measure) -> Double? {
    guard let whole = measure.whole, let cpu = wholeCPU(whole.name) else { return nil }
    return measure.median.cpu * whole.part / cpu
  }

  /// Returns the CPU time of an import that no stage covers, in seconds; nil if the import was not measured. It is
  /// negative if the stages alone cost more than together.
  func rest(of name: String) -> Double? {
    wholeCPU(name).map { cpu in
      cpu
        - measures.filter { $0.whole?.name == name }.reduce(0) { $0 + $1.median.cpu * ($1.whole?.part ?? 1) }
    }
  }

  private func wholeCPU(_ name: String) -> Double? {
    let cpu = measures.first { $0.whole == nil && $0.name == name }?.median.cpu
    return cpu.flatMap { $0 > 0 ? $0 : nil }
  }

  // MARK: For people

  /// A table with a line for each measure, stages first.
  var table: String {
    let stages = measures.filter { $0.whole != nil }
    let imports = measures.filter { $0.whole == nil }
    let rounds = measures.map(\.runs.count).max() ?? 0
    var lines = ["\(subject); medians of \(rounds) interleaved rounds"]
    lines.append(Self.line("stage", ["CPU s", "system s", "MB", "rows", "peak MB", "wall s"], "share"))
    for stage in stages {
      let share = share(of: stage).map { "\(Self.percent($0)) of \(stage.whole?.name ?? "")" }
      lines.append(Self.line(stage.name, Self.cells(stage.median), share ?? ""))
    }
    // With a single stage the rest has no meaning.
    for name in imports.map(\.name) where stages.count(where: { $0.whole?.name == name }) > 1 {
      guard let rest = rest(of: name), let cpu = wholeCPU(name) else { continue }
      let cells = [Self.text(rest, 3), "", "", "", "", ""]
      lines.append(Self.line("the rest", cells, "\(Self.percent(rest / cpu)) of \(name)"))
    }
    lines.append("")
    lines.append(Self.line("import", ["CPU s", "system s", "MB", "rows", "peak MB", "wall s"], "cores"))
    for measure in imports {
      let median = measure.median
      let cores = median.wall > 0 ? Self.text(median.cpu / median.wall, 2) : ""
      lines.append(Self.line(measure.name, Self.cells(median), cores))
    }
    return lines.joined(separator: "\n")
  }

  private static func cells(_ sample: Sample) -> [String] {
    [
      text(sample.cpu, 3), text(sample.system, 3), text(Double(sample.bytes) / 1e6, 1), "\(sample.rows)",
      sample.peak > 0 ? text(Double(sample.peak) / Double(1 << 20), 0) : "", text(sample.wall, 3),
    ]
  }

  private static func line(_ name: String, _ cells: [String], _ last: String) -> String {
    let padding = String(repeating: " ", count: max(1, 26 - name.count))
    let columns = cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }
    return name + padding + columns.joined() + (last.isEmpty ? "" : "   " + last)
  }

  private static func percent(_ share: Double) -> String { text(share * 100, 0) + " %" }

  private static func text(_ number: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", number)
  }

  // MARK: For programs

  /// The medians and all runs, with the shares, as JSON.
  var json: Data {
    get throws {
      struct Entry: Encodable {
        let name: String
        let median: Sample
        let share: Double?
        let shareOf: String?
        let runs: [Sample]
      }
      struct Document: Encodable {
        let subject: String
        let measures: [Entry]
      }
      let entries = measures.map {
        Entry(name: $0.name, median: $0.median, share: share(of: $0), shareOf: $0.whole?.name, runs: $0.runs)
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return try encoder.encode(Document(subject: subject, measures: entries))
    }
  }
}
