/// What one run of a benchmark needed.
public struct Sample: Codable, Sendable, Equatable {
  /// CPU seconds, in the program and in the kernel.
  public var cpu: Double
  /// Those of them in the kernel.
  public var system: Double
  /// Seconds on the clock.
  public var wall: Double
  /// Bytes of documents that it worked on.
  public var bytes: Int
  /// Articles that it worked on; of an import, those that are new or edited.
  public var rows: Int
  /// The most memory that its process held, in bytes; 0 where it is not known.
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
  /// What a stage is a part of.
  public struct Whole: Sendable, Equatable {
    /// The name of the measure of an import.
    public var name: String
    /// How much of what the stage did that import does: 1 for all of it.
    public var part: Double

    public init(_ name: String, part: Double = 1) {
      self.name = name
      self.part = part
    }
  }

  public let name: String
  /// Nil for an import.
  public let whole: Whole?
  public var runs: [Sample]

  public init(_ name: String, partOf whole: Whole? = nil, runs: [Sample] = []) {
    self.name = name
    self.whole = whole
    self.runs = runs
  }

  /// The middle of each figure by itself, of an even number of runs the higher one; zeros without runs.
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
