import TextOutput

/// Builds the OpenMetrics text format (openmetrics.io, version 1.0), which Prometheus and others read from a
/// file.
struct OpenMetrics {
  private(set) var families = ""

  /// Adds a metric family with gauges: values that may rise and fall.
  ///
  /// - Parameters:
  ///   - name: Letters, digits and underscores.
  ///   - help: One line.
  ///   - samples: The values with their labels; an empty array adds nothing.
  mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
  ) {
    guard !samples.isEmpty else { return }
    families += "# TYPE \(name) gauge\n# HELP \(name) \(Self.escaped(help))\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
      families += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(sample.value))\n"
    }
  }

  /// Adds one value without labels.
  mutating func add(_ name: String, _ help: String, _ value: Double) {
    add(name, help, [([], value)])
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
