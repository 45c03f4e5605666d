/// The measurements of one run of a benchmark.
public struct Sample: Codable, Sendable, Equatable {
  /// CPU seconds, in the program and in the kernel.
  public var cpu: Double
  /// The part of the CPU seconds in the kernel.
  public var system: Double
  /// Wall-clock seconds.
  public var wall: Double
  /// The size of the processed documents, in bytes.
  public var bytes: Int
  /// The number of processed articles; for an import, of new or edited ones.
  public var rows: Int
  /// The peak memory of the process, in bytes; 0 if unknown.
  public var peak: Int

  public init(
    cpu: Double = 0, system: Double = 0, wall: Double = 0, bytes: Int = 0, rows: Int = 0, peak: Int = 0
  ) {
    self.cpu = cpu
    self.system = system
    self.wall = wall
    self.bytes = bytes
    self.rows = rows
    self.peak = peak
  }
}

/// The runs of one benchmark.
public struct Measure: Sendable, Equatable {
  /// The import that contains a stage.
  public struct Whole: Sendable, Equatable {
    /// The name of the measure of an import.
    public var name: String
    /// The fraction of the stage's work that the import does: 1 for all of it.
    public var part: Double

    public init(_ name: String, part: Double = 1) {
      self.name = name
      self.part = part
    }
  }

  public let name: String
  /// The import that contains the stage; nil for an import.
  public let whole: Whole?
  public var runs: [Sample]

  public init(_ name: String, partOf whole: Whole? = nil, runs: [Sample] = []) {
    self.name = name
    self.whole = whole
    self.runs = runs
  }

  /// The median of each figure by itself, the higher one for an even number of runs; zeros without runs.
  public var median: Sample {
    Sample(
      cpu: median(\.cpu), system: median(\.system), wall: median(\.wall), bytes: median(\.bytes),
      rows: median(\.rows),
      peak: median(\.peak))
  }

  private func median<Value: Comparable & AdditiveArithmetic>(_ figure: KeyPath<Sample, Value>) -> Value {
    let sorted = runs.map { $0[keyPath: figure] }.sorted()
    return sorted.isEmpty ? .zero : sorted[sorted.count / 2]
  }
}
