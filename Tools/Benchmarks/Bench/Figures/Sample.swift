/// The measurements of one run of a benchmark.
struct Sample: Codable, Sendable, Equatable {
  /// CPU seconds, in the program and in the kernel.
  var cpu = 0.0
  /// The part of the CPU seconds in the kernel.
  var system = 0.0
  /// Wall-clock seconds.
  var wall = 0.0
  /// The size of the processed documents, in bytes.
  var bytes = 0
  /// The number of processed articles; for an import, of new or edited ones.
  var rows = 0
  /// The peak memory of the process, in bytes; 0 if unknown.
  var peak = 0
}

/// The runs of one benchmark.
struct Measure: Sendable, Equatable {
  /// The import that contains a stage.
  struct Whole: Sendable, Equatable {
    /// The name of the measure of an import.
    var name: String
    /// The fraction of the stage's work that the import does: 1 for all of it.
    var part: Double

    init(_ name: String, part: Double = 1) {
      self.name = name
      self.part = part
    }
  }

  let name: String
  /// The import that contains the stage; nil for an import.
  let whole: Whole?
  var runs: [Sample]

  init(_ name: String, partOf whole: Whole? = nil, runs: [Sample] = []) {
    self.name = name
    self.whole = whole
    self.runs = runs
  }

  /// The median of each figure by itself, the higher one for an even number of runs; zeros without runs.
  var median: Sample {
    Sample(
      cpu: median(\.cpu), system: median(\.system), wall: median(\.wall), bytes: median(\.bytes),
      rows: median(\.rows), peak: median(\.peak))
  }

  private func median<Value: Comparable & AdditiveArithmetic>(_ figure: KeyPath<Sample, Value>) -> Value {
    let sorted = runs.map { $0[keyPath: figure] }.sorted()
    return sorted.isEmpty ? .zero : sorted[sorted.count / 2]
  }
}
