import TextOutput

/// Numbers as Prometheus and others read them from a file (openmetrics.io, version 1.0, text format).
struct OpenMetrics {
  /// What a number is.
  enum Kind: String {
    /// It may rise and fall.
    case gauge
    /// It only rises; the samples' names end with `_total`.
    case counter
  }

  private(set) var families = ""

  /// Adds a family of numbers.
  ///
  /// - Parameters:
  ///   - name: Without `_total`; letters, digits and underscores.
  ///   - help: One line.
  ///   - samples: Each with its labels; none writes nothing.
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

  /// Adds one number without labels.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [([], value)])
  }

  /// All of it.
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

  /// Whole numbers without a fraction.
  private static func number(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
  }
}
