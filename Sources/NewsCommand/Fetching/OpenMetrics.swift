import TextOutput

/// Builds the OpenMetrics text format (openmetrics.io, version 1.0), which Prometheus and others read from a
/// file.
struct OpenMetrics {
  private(set) var families = ""

  /// A metric family's type.
  enum Kind: String {
    /// Values that may rise and fall.
    case gauge
    /// Values that only rise. Their names end with `_total`.
    case counter
  }

  /// Adds a metric family.
  ///
  /// - Parameters:
  ///   - name: Letters, digits and underscores.
  ///   - help: One line.
  ///   - samples: The values with their labels; an empty array adds nothing.
  ///   - kind: The type.
  mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)],
    kind: Kind = .gauge
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
