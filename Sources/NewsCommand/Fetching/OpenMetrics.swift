import TextOutput

/// Builds the OpenMetrics text format (openmetrics.io, version 1.0), which Prometheus and others read from a
/// file.
struct OpenMetrics {
  /// The type of a metric.
  enum Kind: String {
    /// A value that may rise and fall.
    case gauge
    /// A value that only rises; the names of its samples end with `_total`.
    case counter
  }

  private(set) var families = ""

  /// Adds a family of metrics.
  ///
  /// - Parameters:
  ///   - name: The name without `_total`: letters, digits and underscores.
  ///   - help: One line.
  ///   - samples: The values with their labels; an empty array adds nothing.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
  ) {
    guard !samples.isEmpty else { return }
    families += "# TYPE \(name) \(kind.rawValue)\n# HELP \(name) \(Self.escaped(help))\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
      let suffix = kind == .counter ? "_total" : ""
      families += name + suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(sample.value))\n"
    }
  }

  /// Adds one value without labels.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [([], value)])
  }

  /// The complete text.
  var text: String { families + "# EOF\n" }

  private static func escaped(_ text: String) -> String {
    text.replacingASCII { byte in
      switch byte {
      case UInt8(ascii: "\\"): "\\\\"
      case UInt8(ascii: "\""): "\\\""
      case UInt8(ascii: "\n"): "\\n"
      default: nil
      }
    }
  }

  /// Formats whole numbers without a fraction.
  private static func number(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
  }
}
